//! The table of error codes: word on the wire, HTTP status (RFC 9110 section 15), and a sentence for people in both languages.

use model::lang::{Text, text};

macro_rules! codes {
    ($($name:ident $wire:literal $status:literal $en:literal $pt:literal;)+) => {
        /// Error codes. Stable: a code is never reused with another meaning.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "each row's sentence says what the code means")]
        pub enum Code { $($name,)+ }

        impl Code {
            /// All of them, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$name,)+];

            /// The code on the wire.
            pub fn wire(self) -> &'static str {
                match self { $(Self::$name => $wire,)+ }
            }

            /// The HTTP status (RFC 9110 section 15).
            pub fn status(self) -> u16 {
                match self { $(Self::$name => $status,)+ }
            }

            /// The sentence for people.
            pub fn sentence(self) -> Text {
                match self { $(Self::$name => text($en, $pt),)+ }
            }
        }
    };
}

// A macro, so that an incomplete row does not compile, and each code is written once.
codes! {
    InvalidBody "invalid_body" 400
        "The body is not what this call takes." "O corpo não é o que esta chamada recebe.";
    InvalidParameter "invalid_parameter" 400
        "A parameter is not what this call takes." "Um parâmetro não é o que esta chamada recebe.";
    InvalidRequest "invalid_request" 400
        "The request is not what this call takes." "A requisição não é o que esta chamada recebe.";
    InvalidEmail "invalid_email" 400
        "This is not an address that mail can be sent to." "Este não é um endereço para o qual se possa enviar e-mail.";
    InvalidName "invalid_name" 400
        "name is 1 to 120 characters, without control characters." "name tem 1 a 120 caracteres, sem caracteres de controle.";
    InvalidMessage "invalid_message" 400
        "message is 1 to 8,000 characters, without control characters other than line ends." "message tem 1 a 8.000 caracteres, sem caracteres de controle além de quebras de linha.";
    InvalidProposal "invalid_tipo" 400
        "tipo is patrocinio, parceria or anuncio." "tipo é patrocinio, parceria ou anuncio.";
    InvalidCompany "invalid_empresa" 400
        "empresa is at most 200 characters, without control characters." "empresa tem no máximo 200 caracteres, sem caracteres de controle.";
    InvalidSite "invalid_site" 400
        "site is at most 200 characters, without control characters." "site tem no máximo 200 caracteres, sem caracteres de controle.";
    InvalidBudget "invalid_orcamento" 400
        "orcamento is ate_100, 100_500, 500_2000, 2000_mais or a_combinar." "orcamento é ate_100, 100_500, 500_2000, 2000_mais ou a_combinar.";
    InvalidPlacements "invalid_espaco" 400
        "espaco is a list of at most 6 ids of placements, as GET /api/partners lists them." "espaco é uma lista de no máximo 6 ids de espaços, como GET /api/partners os lista.";
    InvalidDuration "invalid_duracao" 400
        "duracao is 30, 90 or 365 days." "duracao é 30, 90 ou 365 dias.";
    InvalidMeans "invalid_pagamento" 400
        "pagamento is usdc, deposito or a_combinar." "pagamento é usdc, deposito ou a_combinar.";
    PasswordRefused "password_refused" 400
        "This password is not taken." "Esta senha não é aceita.";
    InvalidLink "invalid_link" 400
        "This link was used or replaced, or is too old; ask for a new one." "Este link já foi usado ou substituído, ou é antigo demais; peça um novo.";
    InvalidPayment "invalid_payment" 400
        "The payment can't be read." "O pagamento não pode ser lido.";
    InvalidUrl "invalid_url" 400
        "The address can't be audited as it is written; send an absolute http or https URL." "O endereço não pode ser auditado como está escrito; envie uma URL http ou https absoluta.";
    AddressNotAllowed "address_not_allowed" 400
        "Only hosts on the public internet can be audited: this one's name can't be resolved there, or its address is private. Check the spelling." "Só hosts na internet pública podem ser auditados: o nome deste não pode ser resolvido nela, ou o endereço é privado. Confira a grafia.";
    InvalidStrategy "invalid_strategy" 400
        "strategy is mobile or desktop." "strategy é mobile ou desktop.";
    InvalidKeyName "invalid_key_name" 400
        "name is what you call the key: 1 to 60 characters, without control characters." "name é como você chama a chave: 1 a 60 caracteres, sem caracteres de controle.";
    InvalidKeyId "invalid_key_id" 400
        "id is the id of a key, as GET /api/account/keys lists it." "id é o id de uma chave, como GET /api/account/keys a lista.";
    InvalidOrganization "invalid_organization" 400
        "organizationId is the id of an organization, or null for a key of your account." "organizationId é o id de uma organização, ou null para uma chave da sua conta.";
    InvalidProductClaim "invalid_product_claim" 400
        "guest_token is what POST /api/guest gave: pa_ and 43 digits." "guest_token é o que POST /api/guest deu: pa_ e 43 dígitos.";
    InvalidOrganizationName "invalid_organization_name" 400
        "name is what the organization is called: 1 to 80 characters, without control characters." "name é como a organização se chama: 1 a 80 caracteres, sem caracteres de controle.";
    InvalidImage "invalid_image" 400
        "image is a JPEG, PNG or WebP of at most 2 MB and 12 megapixels (5 for WebP, progressive JPEG and 16-bit PNG), in base64." "image é um JPEG, PNG ou WebP de no máximo 2 MB e 12 megapixels (5 para WebP, JPEG progressivo e PNG de 16 bits), em base64.";
    ChallengeFailed "challenge_failed" 400
        "The verification failed. Repeat it, or load the page again." "A verificação falhou. Repita-a ou recarregue a página.";
    InvalidPasskey "invalid_passkey" 400
        "The authenticator did not prove that it made a passkey for this site; begin again." "O autenticador não provou que criou uma chave de acesso para este site; comece de novo.";
    GuestTokenRequired "guest_token_required" 401
        "Send the guest token that made the audit; POST /api/guest gives a new one." "Envie o token de visitante que fez a auditoria; POST /api/guest dá um novo.";
    GuestTokenInvalid "guest_token_invalid" 401
        "This guest token is not known here." "Este token de visitante não é conhecido aqui.";
    InvalidSession "invalid_session" 401
        "You are not signed in; sign in at /conta/global." "Você não entrou na sua conta; entre em /conta/global.";
    SessionEnded "session_ended" 401
        "Your session has ended; sign in again at /conta/global." "A sua sessão terminou; entre de novo em /conta/global.";
    InvalidCredentials "invalid_credentials" 401
        "Address or password is wrong, or there were too many tries; try again later." "O endereço ou a senha está errado, ou houve tentativas demais; tente mais tarde.";
    InvalidChallenge "invalid_challenge" 401
        "This sign-in took too long, or too many codes were wrong; begin again." "Este acesso demorou demais, ou houve códigos errados demais; comece de novo.";
    InvalidCode "invalid_code" 401
        "This code is wrong or was used; wait for the next one." "Este código está errado ou já foi usado; espere o próximo.";
    SecondFactorRequired "second_factor_required" 401
        "Give a code of your authenticator, or a recovery code." "Informe um código do seu autenticador, ou um código de recuperação.";
    ReauthRequired "reauth_required" 401
        "Prove again who you are (POST /api/auth/reauth), then repeat the call within five minutes." "Prove de novo quem você é (POST /api/auth/reauth) e repita a chamada em até cinco minutos.";
    InvalidApiKey "invalid_api_key" 401
        "This API key is not known here." "Esta chave de API não é conhecida aqui.";
    InvalidCredential "invalid_credential" 401
        "This credential is not known here." "Esta credencial não é conhecida aqui.";
    OperatorTokenRequired "operator_token_required" 401
        "Send the operator's token as Authorization: Bearer." "Envie o token do operador como Authorization: Bearer.";
    CreditRequired "credit_required" 401
        "Send the credit's token as Authorization: Bearer cred_… or X-Credito." "Envie o token do crédito como Authorization: Bearer cred_… ou X-Credito.";
    CreditWithoutValue "credit_without_value" 401
        "This credit pays nothing here: it was made while nothing was charged, or bought on another network." "Este crédito não paga nada aqui: ele foi feito quando nada era cobrado, ou comprado em outra rede.";
    AllowanceSpent "allowance_spent" 402
        "The free audits of today are spent. Pay and repeat the same call, or wait for tomorrow (UTC)." "As auditorias grátis de hoje acabaram. Pague e repita a mesma chamada, ou espere até amanhã (UTC).";
    PaymentRequired "payment_required" 402
        "Pay and repeat the same call." "Pague e repita a mesma chamada.";
    PaymentRefused "payment_refused" 402
        "The payment was refused and nothing was charged; sign a new one and repeat the same call." "O pagamento foi recusado e nada foi cobrado; assine um novo e repita a mesma chamada.";
    PaymentUsed "payment_used" 402
        "This payment was used for another call; sign a new one." "Este pagamento foi usado em outra chamada; assine um novo.";
    InsufficientCredit "insufficient_credit" 402
        "The credit is too small for this call; buy more, or pay this call by itself." "O crédito é pouco para esta chamada; compre mais, ou pague só esta chamada.";
    CreditPending "credit_pending" 402
        "The receipt of this credit is still being looked at; nothing can be spent yet." "O comprovante deste crédito ainda está em análise; nada pode ser gasto por enquanto.";
    CreditRefused "credit_refused" 402
        "No payment was found for the receipt of this credit: nothing can ever be spent of it. Leave it out, and pay this call another way." "Não se achou pagamento para o comprovante deste crédito: nada dele poderá ser gasto. Retire-o, e pague esta chamada de outro modo.";
    CrawlerNotAllowed "crawler_not_allowed" 403
        "An audit may not start another audit." "Uma auditoria não pode iniciar outra auditoria.";
    InvalidOrigin "invalid_origin" 403
        "This call was not made by a page of this site." "Esta chamada não foi feita por uma página deste site.";
    InvalidCsrf "invalid_csrf" 403
        "The token of this page is missing or of another session; load the page again, or call GET /api/auth/bootstrap." "O token desta página falta ou é de outra sessão; recarregue a página ou chame GET /api/auth/bootstrap.";
    VerificationRequired "verification_required" 403
        "Confirm that you are human before a free audit. Verification needs JavaScript: turn it on, or sign in, or use the API." "Confirme que você é humano antes de uma auditoria grátis. A verificação precisa de JavaScript: ative-o, entre na sua conta ou use a API.";
    AccountRequired "account_required" 403
        "Only an account can do this; a guest can't." "Só uma conta pode fazer isto; um visitante não.";
    OrganizationForbidden "organization_forbidden" 403
        "You may not do this for this organization." "Você não pode fazer isto por esta organização.";
    OrganizationMfaRequired "organization_mfa_required" 403
        "This needs a second factor in your session; sign in again with it." "Isto exige um segundo fator na sua sessão; entre de novo com ele.";
    NotFound "not_found" 404
        "There is nothing at this address." "Não há nada neste endereço.";
    AuditNotFound "audit_not_found" 404
        "There is no such audit of yours." "Não há tal auditoria sua.";
    TabNotFound "tab_not_found" 404
        "There is no such tab of yours." "Não há tal aba sua.";
    ShareNotFound "share_not_found" 404
        "There is no shared report at this address, or no more." "Não há relatório compartilhado neste endereço, ou não há mais.";
    CheckNotFound "check_not_found" 404
        "There is no check with this code." "Não há verificação com este código.";
    ToolNotFound "tool_not_found" 404
        "There is no tool with this name." "Não há ferramenta com este nome.";
    OrganizationNotFound "organization_not_found" 404
        "There is no such organization of yours." "Não há tal organização sua.";
    MemberNotFound "member_not_found" 404
        "There is no such member." "Não há tal membro.";
    InvitationNotFound "invitation_not_found" 404
        "There is no such invitation for you: it was used or ended, is too old, or was sent to another address." "Não há tal convite para você: foi usado ou encerrado, é antigo demais ou foi enviado a outro endereço.";
    KeyNotFound "key_not_found" 404
        "There is no such API key of yours." "Não há tal chave de API sua.";
    SessionNotFound "session_not_found" 404
        "There is no such session of yours." "Não há tal sessão sua.";
    AlreadyDone "already_done" 409
        "This is there already." "Isto já existe.";
    RevisionConflict "revision_conflict" 409
        "It was changed meanwhile; read it again and repeat your change." "Foi alterado nesse meio-tempo; leia de novo e repita a sua mudança.";
    MethodNotAllowed "method_not_allowed" 405
        "This address does not take this method." "Este endereço não aceita este método.";
    TabLimit "tab_limit" 409
        "You have as many tabs as one owner can; close one first." "Você tem tantas abas quanto se pode ter; feche uma antes.";
    MonitorLimit "monitor_limit" 409
        "You watch as many pages as one owner can; end a watch first." "Você vigia tantas páginas quanto se pode; encerre uma vigia antes.";
    PixRequestNotFound "pix_request_not_found" 404
        "There is no such request for credit." "Não há tal pedido de crédito.";
    RequestTimeout "request_timeout" 408
        "The request did not arrive in time." "A requisição não chegou a tempo.";
    LastOwner "last_owner" 409
        "An organization has an owner; make somebody else one first, or delete it." "Uma organização tem um proprietário; torne outra pessoa proprietária antes, ou exclua-a.";
    OrganizationLimit "organization_limit" 409
        "There are as many organizations, members or open invitations as there may be." "Já há tantas organizações, membros ou convites abertos quanto pode haver.";
    PasskeyLimit "passkey_limit" 409
        "You have twenty passkeys already; remove one first." "Você já tem vinte chaves de acesso; remova uma antes.";
    KeyLimitReached "key_limit_reached" 409
        "Ten keys are live already; revoke one first." "Já há dez chaves ativas; revogue uma antes.";
    UnknownGuest "unknown_guest" 409
        "There is no such guest, or another account has taken it over." "Não há tal visitante, ou outra conta já o assumiu.";
    PaymentInProgress "payment_in_progress" 409
        "This call is running already, and is paid once; ask again in a moment." "Esta chamada já está em andamento, e é paga uma vez; pergunte de novo em instantes.";
    IdempotencyConflict "idempotency_conflict" 409
        "This Idempotency-Key came with another call before; use a new one." "Esta Idempotency-Key veio antes com outra chamada; use uma nova.";
    ChallengeUsed "challenge_used" 409
        "This verification was used already. Repeat it to get a new one." "Esta verificação já foi usada. Repita-a para obter uma nova.";
    CreditDelivered "payment_used" 409
        "This payment bought the credit that is named in credit; its token is kept as a digest only, and this call can't get a new one." "Este pagamento comprou o crédito indicado em credit; do token só se guarda um resumo, e esta chamada não pode receber outro.";
    ReceiptAlreadySent "receipt_already_sent" 409
        "This receipt came before; id is the request that it belongs to." "Este comprovante já veio antes; id é o pedido a que ele pertence.";
    BodyTooLarge "body_too_large" 413
        "The body is longer than this call takes." "O corpo é maior do que esta chamada recebe.";
    UnsupportedMediaType "unsupported_media_type" 415
        "Send the body in the media type that this call takes, without a content coding." "Envie o corpo no tipo de mídia que esta chamada recebe, sem codificação de conteúdo.";
    ReceiptType "receipt_type" 415
        "A receipt is a photo (JPEG, PNG, WebP) or a PDF." "Um comprovante é uma foto (JPEG, PNG, WebP) ou um PDF.";
    HeadersTooLarge "headers_too_large" 431
        "The headers of the request are longer than is taken here." "Os cabeçalhos da requisição são maiores do que se recebe aqui.";
    RateLimited "rate_limited" 429
        "Too many calls from your network; try again later." "Chamadas demais da sua rede; tente mais tarde.";
    TargetBusy "target_busy" 429
        "Too many audits of this site, or of yours, are running; try again later." "Há auditorias demais deste site, ou suas, em andamento; tente mais tarde.";
    LabBusy "lab_busy" 429
        "All lab tests that this server runs at once are running. Try again in a moment." "Todos os testes de laboratório simultâneos deste servidor estão em andamento. Tente de novo em instantes.";
    LabRateLimited "lab_rate_limited" 429
        "Your network has reached its limit of lab tests per hour. Try again later." "Sua rede atingiu o limite de testes de laboratório por hora. Tente mais tarde.";
    LabDailyCap "lab_daily_cap" 429
        "The lab tests of today are used up. Try again tomorrow (UTC)." "Os testes de laboratório de hoje acabaram. Tente amanhã (UTC).";
    Internal "internal" 500
        "The call failed; this is a defect of ours." "A chamada falhou; é um defeito nosso.";
    RedirectNotAllowed "redirect_not_allowed" 502
        "The address redirects to where audits don't go." "O endereço redireciona para onde auditorias não vão.";
    TargetUnreachable "target_unreachable" 502
        "The address gave no usable response." "O endereço não deu resposta utilizável.";
    TargetTimeout "target_timeout" 502
        "The address did not answer in time." "O endereço não respondeu a tempo.";
    TargetBlocked "target_blocked" 502
        "A firewall of the target answered instead of the page; nothing was audited." "Um firewall do alvo respondeu no lugar da página; nada foi auditado.";
    TargetRateLimited "target_rate_limited" 502
        "The target limits its rate; nothing was audited." "O alvo limita a sua taxa; nada foi auditado.";
    DatabaseUnavailable "database_unavailable" 503
        "The database does not answer at the moment; try again." "O banco de dados não responde no momento; tente de novo.";
    StorageFull "storage_full" 503
        "Nothing can be saved: the server's disk is full or takes no writes. Reading works; try again later." "Nada pode ser salvo: o disco do servidor está cheio ou não aceita gravações. A leitura funciona; tente de novo mais tarde.";
    AuthUnavailable "auth_unavailable" 503
        "Accounts are not available at the moment; you stay signed in." "As contas não estão disponíveis no momento; você continua conectado.";
    ProductClaimPending "product_claim_pending" 503
        "The claim could not be finished at the moment; send it again, which is safe." "Não foi possível concluir agora; envie de novo, o que é seguro.";
    ChallengeUnavailable "challenge_unavailable" 503
        "Verification is not available at the moment. The audit runs without it." "A verificação não está disponível no momento. A auditoria é feita sem ela.";
    MailUnavailable "mail_unavailable" 503
        "This server can't send mail, which this call needs." "Este servidor não envia e-mail, do qual esta chamada precisa.";
    ContactUnconfigured "contact_unconfigured" 503
        "This server has no contact form: its operator has set no mailbox." "Este servidor não tem formulário de contato: o operador não definiu uma caixa de correio.";
    ContactQueueFull "contact_queue_full" 503
        "Too many messages are waiting to be sent. Try again in a minute." "Há mensagens demais esperando envio. Tente de novo em um minuto.";
    OperatorUnavailable "operator_unavailable" 503
        "This server has no operator's token, or its database does not answer." "Este servidor não tem token de operador, ou o banco de dados dele não responde.";
    Overloaded "overloaded" 503
        "The server is at its limit; try again in a moment." "O servidor está no limite; tente de novo em instantes.";
    SettlementPending "settlement_pending" 503
        "The payment is on its way; repeat the call with the same header, it is not paid twice." "O pagamento está a caminho; repita a chamada com o mesmo cabeçalho, ela não é paga duas vezes.";
    LabUnavailable "lab_unavailable" 503
        "Lab tests are not available on this server at the moment." "Os testes de laboratório não estão disponíveis neste servidor no momento.";
    PixUnavailable "pix_unavailable" 503
        "Credit can't be bought by Pix here." "Aqui não se compra crédito por Pix.";
    PixQueueFull "pix_queue_full" 503
        "Too many receipts wait to be looked at; try again later." "Há comprovantes demais em análise; tente mais tarde.";
    FacilitatorUnavailable "facilitator_unavailable" 503
        "Payments can't be settled at the moment; nothing was charged." "Pagamentos não podem ser liquidados no momento; nada foi cobrado.";
}
