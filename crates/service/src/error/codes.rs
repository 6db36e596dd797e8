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
        "The request body is invalid." "O corpo da requisição é inválido.";
    InvalidParameter "invalid_parameter" 400
        "A parameter is invalid." "Um parâmetro é inválido.";
    InvalidRequest "invalid_request" 400
        "The request is invalid." "A requisição é inválida.";
    InvalidEmail "invalid_email" 400
        "Enter a valid email address." "Informe um endereço de e-mail válido.";
    InvalidName "invalid_name" 400
        "name must have 1 to 120 characters and no control characters." "name deve ter de 1 a 120 caracteres, sem caracteres de controle.";
    InvalidMessage "invalid_message" 400
        "message must have 1 to 8,000 characters and no control characters except line breaks." "message deve ter de 1 a 8.000 caracteres, sem caracteres de controle além de quebras de linha.";
    InvalidProposal "invalid_tipo" 400
        "tipo must be patrocinio, parceria or anuncio." "tipo deve ser patrocinio, parceria ou anuncio.";
    InvalidCompany "invalid_empresa" 400
        "empresa can have at most 200 characters and no control characters." "empresa pode ter no máximo 200 caracteres, sem caracteres de controle.";
    InvalidSite "invalid_site" 400
        "site can have at most 200 characters and no control characters." "site pode ter no máximo 200 caracteres, sem caracteres de controle.";
    InvalidBudget "invalid_orcamento" 400
        "orcamento must be ate_100, 100_500, 500_2000, 2000_mais or a_combinar." "orcamento deve ser ate_100, 100_500, 500_2000, 2000_mais ou a_combinar.";
    InvalidPlacements "invalid_espaco" 400
        "espaco must be a list of at most 6 placement ids from GET /api/partners." "espaco deve ser uma lista de no máximo 6 ids de espaços de GET /api/partners.";
    InvalidDuration "invalid_duracao" 400
        "duracao must be 30, 90 or 365 days." "duracao deve ser 30, 90 ou 365 dias.";
    InvalidMeans "invalid_pagamento" 400
        "pagamento must be usdc, deposito or a_combinar." "pagamento deve ser usdc, deposito ou a_combinar.";
    PasswordRefused "password_refused" 400
        "Choose a stronger password." "Escolha uma senha mais forte.";
    InvalidLink "invalid_link" 400
        "This link has expired, was already used or was replaced. Request a new one." "Este link expirou, já foi usado ou foi substituído. Peça um novo.";
    InvalidPayment "invalid_payment" 400
        "The payment is malformed. Sign a new one and repeat the call." "O formato do pagamento é inválido. Assine um novo e repita a chamada.";
    InvalidUrl "invalid_url" 400
        "That is not a valid URL. Send an absolute http or https URL." "Esta não é uma URL válida. Envie uma URL http ou https absoluta.";
    AddressNotAllowed "address_not_allowed" 400
        "Only hosts on the public internet can be audited. This host name does not resolve, or its address is private. Check the spelling." "Só hosts na internet pública podem ser auditados. O nome deste host não resolve ou o endereço dele é privado. Confira a grafia.";
    InvalidStrategy "invalid_strategy" 400
        "strategy must be mobile or desktop." "strategy deve ser mobile ou desktop.";
    InvalidKeyName "invalid_key_name" 400
        "name must have 1 to 60 characters and no control characters." "name deve ter de 1 a 60 caracteres, sem caracteres de controle.";
    InvalidKeyId "invalid_key_id" 400
        "id must be the id of a key from GET /api/account/keys." "id deve ser o id de uma chave de GET /api/account/keys.";
    InvalidOrganization "invalid_organization" 400
        "organizationId must be the id of an organization, or null for a key of your account." "organizationId deve ser o id de uma organização, ou null para uma chave da sua conta.";
    InvalidProductClaim "invalid_product_claim" 400
        "guest_token must be a token from POST /api/guest: pa_ followed by 43 characters." "guest_token deve ser um token de POST /api/guest: pa_ seguido de 43 caracteres.";
    InvalidOrganizationName "invalid_organization_name" 400
        "name must have 1 to 80 characters and no control characters." "name deve ter de 1 a 80 caracteres, sem caracteres de controle.";
    InvalidImage "invalid_image" 400
        "image must be a JPEG, PNG or WebP in base64, of at most 2 MB and 12 megapixels (5 for WebP, progressive JPEG and 16-bit PNG)." "image deve ser um JPEG, PNG ou WebP em base64, de no máximo 2 MB e 12 megapixels (5 para WebP, JPEG progressivo e PNG de 16 bits).";
    ChallengeFailed "challenge_failed" 400
        "Verification failed. Try again, or reload the page." "A verificação falhou. Tente de novo ou recarregue a página.";
    InvalidPasskey "invalid_passkey" 400
        "The passkey could not be verified for this site. Start over." "Não foi possível verificar a chave de acesso para este site. Comece de novo.";
    GuestTokenRequired "guest_token_required" 401
        "A guest token is required. Send yours in X-Guest-Token, or get one with POST /api/guest." "É preciso um token de visitante. Envie o seu em X-Guest-Token ou obtenha um com POST /api/guest.";
    GuestTokenInvalid "guest_token_invalid" 401
        "Unknown guest token. Get a new one with POST /api/guest." "Token de visitante desconhecido. Obtenha um novo com POST /api/guest.";
    InvalidSession "invalid_session" 401
        "You are not signed in. Sign in at /conta/global." "Você não entrou na sua conta. Entre em /conta/global.";
    SessionEnded "session_ended" 401
        "Your session has ended. Sign in again at /conta/global." "A sua sessão terminou. Entre de novo em /conta/global.";
    InvalidCredentials "invalid_credentials" 401
        "Wrong email or password, or too many attempts. Check both, or try again later." "E-mail ou senha incorretos, ou tentativas demais. Confira os dois ou tente mais tarde.";
    InvalidChallenge "invalid_challenge" 401
        "The sign-in expired, or too many codes were wrong. Start over." "O acesso expirou ou houve códigos errados demais. Comece de novo.";
    InvalidCode "invalid_code" 401
        "This code is wrong or was already used. Enter the next one." "Este código está errado ou já foi usado. Informe o próximo.";
    SecondFactorRequired "second_factor_required" 401
        "Enter the code from your authenticator app, or a recovery code." "Informe o código do seu aplicativo autenticador ou um código de recuperação.";
    ReauthRequired "reauth_required" 401
        "Confirm it's you (POST /api/auth/reauth), then repeat the call within five minutes." "Confirme que é você (POST /api/auth/reauth) e repita a chamada em até cinco minutos.";
    InvalidApiKey "invalid_api_key" 401
        "This API key is unknown or revoked. Check it, or create a new one." "Esta chave de API é desconhecida ou foi revogada. Confira-a ou crie uma nova.";
    InvalidCredential "invalid_credential" 401
        "This credential is invalid. Check the token you sent." "Esta credencial é inválida. Confira o token enviado.";
    OperatorTokenRequired "operator_token_required" 401
        "The operator token is required. Send it as Authorization: Bearer." "É preciso o token de operador. Envie-o como Authorization: Bearer.";
    CreditRequired "credit_required" 401
        "A credit token is required. Send it as Authorization: Bearer cred_… or X-Credito." "É preciso um token de crédito. Envie-o como Authorization: Bearer cred_… ou X-Credito.";
    CreditWithoutValue "credit_without_value" 401
        "This credit can't be spent here: it was created while nothing was charged, or bought on another network. Use another credit." "Este crédito não pode ser gasto aqui: foi criado quando nada era cobrado, ou foi comprado em outra rede. Use outro crédito.";
    AllowanceSpent "allowance_spent" 402
        "Today's free audits are used up. Pay and repeat the same call, or wait until tomorrow (UTC)." "As auditorias grátis de hoje acabaram. Pague e repita a mesma chamada, ou espere até amanhã (UTC).";
    PaymentRequired "payment_required" 402
        "This call has a price. Pay and repeat the same call." "Esta chamada tem preço. Pague e repita a mesma chamada.";
    PaymentRefused "payment_refused" 402
        "The payment was refused and nothing was charged. Sign a new one and repeat the same call." "O pagamento foi recusado e nada foi cobrado. Assine um novo e repita a mesma chamada.";
    PaymentUsed "payment_used" 402
        "This payment was already used for another call. Sign a new one." "Este pagamento já foi usado em outra chamada. Assine um novo.";
    InsufficientCredit "insufficient_credit" 402
        "This credit is not enough for the call. Buy more, or pay for this call alone." "Este crédito não é suficiente para a chamada. Compre mais ou pague só esta chamada.";
    CreditPending "credit_pending" 402
        "This credit can't be spent yet: its Pix receipt is under review. Try again later." "Este crédito ainda não pode ser gasto: o comprovante do Pix está em análise. Tente mais tarde.";
    CreditRefused "credit_refused" 402
        "This credit can't be spent: no payment was found for its Pix receipt. Remove it and pay another way." "Este crédito não pode ser gasto: nenhum pagamento foi encontrado para o comprovante do Pix. Retire-o e pague de outro modo.";
    CrawlerNotAllowed "crawler_not_allowed" 403
        "An audit can't start another audit." "Uma auditoria não pode iniciar outra.";
    InvalidOrigin "invalid_origin" 403
        "Only pages of this service can make this call. Use this service's own pages, or an API key." "Só páginas deste serviço podem fazer esta chamada. Use as páginas deste serviço ou uma chave de API.";
    InvalidCsrf "invalid_csrf" 403
        "The CSRF token is missing or belongs to another session. Reload the page, or call GET /api/auth/bootstrap." "O token CSRF está ausente ou é de outra sessão. Recarregue a página ou chame GET /api/auth/bootstrap.";
    VerificationRequired "verification_required" 403
        "Confirm that you are human before a free audit. Verification needs JavaScript: turn it on, or sign in, or use the API." "Confirme que você é humano antes de uma auditoria grátis. A verificação precisa de JavaScript: ative-o, entre na sua conta ou use a API.";
    AccountRequired "account_required" 403
        "Guests can't do this. Sign in to an account." "Visitantes não podem fazer isto. Entre em uma conta.";
    OrganizationForbidden "organization_forbidden" 403
        "You don't have permission to do this in this organization. Ask one of its owners." "Você não tem permissão para fazer isto nesta organização. Fale com um dos proprietários.";
    OrganizationMfaRequired "organization_mfa_required" 403
        "This needs a session with two-factor authentication. Sign in again with your second factor." "Isto exige uma sessão com autenticação em dois fatores. Entre de novo com o seu segundo fator.";
    NotFound "not_found" 404
        "Not found. Check the address." "Não encontrado. Confira o endereço.";
    AuditNotFound "audit_not_found" 404
        "Audit not found, or it belongs to someone else." "Auditoria não encontrada, ou ela é de outra pessoa.";
    TabNotFound "tab_not_found" 404
        "Followed page not found, or it belongs to someone else." "Página seguida não encontrada, ou ela é de outra pessoa.";
    SiteNotFound "site_not_found" 404
        "Site audit not found, or it belongs to someone else." "Auditoria de site não encontrada, ou ela é de outra pessoa.";
    SitePageNotFound "site_page_not_found" 404
        "The site audit has no page with this number." "A auditoria do site não tem página com este número.";
    SiteWatchNotFound "site_watch_not_found" 404
        "Watched site not found, or it belongs to someone else." "Site monitorado não encontrado, ou ele é de outra pessoa.";
    ShareNotFound "share_not_found" 404
        "This report is no longer shared." "Este relatório não está mais compartilhado.";
    CheckNotFound "check_not_found" 404
        "No check has this code." "Nenhuma verificação tem este código.";
    ToolNotFound "tool_not_found" 404
        "No tool has this name." "Nenhuma ferramenta tem este nome.";
    OrganizationNotFound "organization_not_found" 404
        "Organization not found, or you are not a member of it." "Organização não encontrada, ou você não é membro dela.";
    MemberNotFound "member_not_found" 404
        "This organization has no such member." "Esta organização não tem esse membro.";
    InvitationNotFound "invitation_not_found" 404
        "Invitation not found. It has expired, was already used or cancelled, or was sent to another address." "Convite não encontrado. Ele expirou, já foi usado ou cancelado, ou foi enviado a outro endereço.";
    WebhookNotFound "webhook_not_found" 404
        "Webhook not found, or it belongs to someone else." "Webhook não encontrado, ou ele é de outra pessoa.";
    KeyNotFound "key_not_found" 404
        "API key not found, or it belongs to someone else." "Chave de API não encontrada, ou ela é de outra pessoa.";
    SessionNotFound "session_not_found" 404
        "Session not found, or it belongs to someone else." "Sessão não encontrada, ou ela é de outra pessoa.";
    AlreadyDone "already_done" 409
        "This already exists." "Isto já existe.";
    RevisionConflict "revision_conflict" 409
        "This was changed in the meantime. Read it again and repeat your change." "Isto foi alterado nesse meio-tempo. Leia de novo e repita a sua mudança.";
    MethodNotAllowed "method_not_allowed" 405
        "This address does not accept this method. The Allow header lists those it accepts." "Este endereço não aceita este método. O cabeçalho Allow lista os que ele aceita.";
    SiteNotFinished "site_not_finished" 409
        "This site audit has no report. It is still running, or it failed: see its status." "Esta auditoria de site não tem relatório. Ela ainda está em andamento ou falhou: veja o estado dela.";
    SiteLimit "site_limit" 409
        "You have reached the limit of site audits at once. Wait for one to end, or delete one." "Você atingiu o limite de auditorias de site simultâneas. Espere uma terminar ou exclua uma.";
    TabLimit "tab_limit" 409
        "You have reached the limit of followed pages. Stop following one first." "Você atingiu o limite de páginas seguidas. Deixe de seguir uma antes.";
    MonitorLimit "monitor_limit" 409
        "You have reached the limit of watched pages. Stop watching one first." "Você atingiu o limite de páginas monitoradas. Deixe de monitorar uma antes.";
    SiteWatchLimit "site_watch_limit" 409
        "You have reached the limit of watched sites. Stop watching one first." "Você atingiu o limite de sites monitorados. Deixe de monitorar um antes.";
    PixRequestNotFound "pix_request_not_found" 404
        "Pix request not found." "Pedido de Pix não encontrado.";
    RequestTimeout "request_timeout" 408
        "The request took too long to arrive. Send it again." "A requisição demorou demais para chegar. Envie-a de novo.";
    LastOwner "last_owner" 409
        "An organization needs an owner. Make someone else an owner first, or delete the organization." "Uma organização precisa de um proprietário. Torne outra pessoa proprietária antes, ou exclua a organização.";
    OrganizationLimit "organization_limit" 409
        "A limit was reached: 50 organizations per account, 500 members or 20 open invitations per organization. Remove one first." "Um limite foi atingido: 50 organizações por conta, 500 membros ou 20 convites abertos por organização. Remova um antes.";
    PasskeyLimit "passkey_limit" 409
        "You have reached the limit of 20 passkeys. Remove one first." "Você atingiu o limite de 20 chaves de acesso. Remova uma antes.";
    WebhookLimit "webhook_limit" 409
        "You have reached the limit of 10 webhooks. Delete one first." "Você atingiu o limite de 10 webhooks. Exclua um antes.";
    KeyLimitReached "key_limit_reached" 409
        "You have reached the limit of 10 active API keys. Revoke one first." "Você atingiu o limite de 10 chaves de API ativas. Revogue uma antes.";
    UnknownGuest "unknown_guest" 409
        "Guest not found, or another account has already imported its data." "Visitante não encontrado, ou outra conta já importou os dados dele.";
    PaymentInProgress "payment_in_progress" 409
        "This call is already running and is paid only once. Try again in a moment." "Esta chamada já está em andamento e é paga uma só vez. Tente de novo em instantes.";
    IdempotencyConflict "idempotency_conflict" 409
        "This Idempotency-Key was already used for a different call. Use a new one." "Esta Idempotency-Key já foi usada em outra chamada. Use uma nova.";
    ChallengeUsed "challenge_used" 409
        "This verification was already used. Verify again." "Esta verificação já foi usada. Faça outra.";
    CreditDelivered "payment_used" 409
        "This payment already bought the credit named in credit. Its token is stored only as a hash, so it can't be shown again." "Este pagamento já comprou o crédito indicado em credit. O token é guardado só como hash e não pode ser mostrado de novo.";
    ReceiptAlreadySent "receipt_already_sent" 409
        "This receipt was already sent. Its request is the one in id." "Este comprovante já foi enviado. O pedido dele é o que está em id.";
    BodyTooLarge "body_too_large" 413
        "The request body is too large. Send a smaller one." "O corpo da requisição é grande demais. Envie um menor.";
    UnsupportedMediaType "unsupported_media_type" 415
        "Unsupported media type. Send the body in the type that this call accepts, without Content-Encoding." "Tipo de mídia não aceito. Envie o corpo no tipo que esta chamada aceita, sem Content-Encoding.";
    ReceiptType "receipt_type" 415
        "A receipt must be a photo (JPEG, PNG or WebP) or a PDF." "Um comprovante deve ser uma foto (JPEG, PNG ou WebP) ou um PDF.";
    HeadersTooLarge "headers_too_large" 431
        "The request headers are too large. Send fewer or shorter ones." "Os cabeçalhos da requisição são grandes demais. Envie menos ou mais curtos.";
    RateLimited "rate_limited" 429
        "Your network sent too many requests. Try again later." "A sua rede fez requisições demais. Tente mais tarde.";
    TargetBusy "target_busy" 429
        "Too many audits of this site, or started by you, are running. Try again later." "Há auditorias demais deste site, ou iniciadas por você, em andamento. Tente mais tarde.";
    LabBusy "lab_busy" 429
        "This server is already running as many lab tests as it can. Try again in a moment." "Este servidor já está executando todos os testes de laboratório que pode. Tente de novo em instantes.";
    LabRateLimited "lab_rate_limited" 429
        "Your network has reached its limit of lab tests per hour. Try again later." "Sua rede atingiu o limite de testes de laboratório por hora. Tente mais tarde.";
    LabDailyCap "lab_daily_cap" 429
        "Today's lab tests are used up. Try again tomorrow (UTC)." "Os testes de laboratório de hoje acabaram. Tente amanhã (UTC).";
    Internal "internal" 500
        "Something went wrong on our side. Try again; if it happens again, report it." "Algo deu errado do nosso lado. Tente de novo; se acontecer outra vez, avise-nos.";
    RedirectNotAllowed "redirect_not_allowed" 502
        "The page redirects to an address that can't be audited. Correct the redirect, or audit another address." "A página redireciona para um endereço que não pode ser auditado. Corrija o redirecionamento ou audite outro endereço.";
    TargetUnreachable "target_unreachable" 502
        "The site did not send a usable response. Check the address, or try again later." "O site não enviou uma resposta utilizável. Confira o endereço ou tente mais tarde.";
    TargetTimeout "target_timeout" 502
        "The site did not respond in time. Try again later." "O site não respondeu a tempo. Tente mais tarde.";
    TargetBlocked "target_blocked" 502
        "The site's firewall answered instead of the page. Nothing was audited." "O firewall do site respondeu no lugar da página. Nada foi auditado.";
    TargetRateLimited "target_rate_limited" 502
        "The site is rate-limiting us. Nothing was audited." "O site está limitando as nossas requisições. Nada foi auditado.";
    DatabaseUnavailable "database_unavailable" 503
        "The database is not responding. Try again in a moment." "O banco de dados não está respondendo. Tente de novo em instantes.";
    StorageFull "storage_full" 503
        "Nothing can be saved: the server's disk is full or read-only. Reading still works. Try again later." "Nada pode ser salvo: o disco do servidor está cheio ou somente leitura. A leitura continua funcionando. Tente mais tarde.";
    AuthUnavailable "auth_unavailable" 503
        "Accounts are temporarily unavailable. You stay signed in. Try again in a moment." "As contas estão temporariamente indisponíveis. Você continua conectado. Tente de novo em instantes.";
    ProductClaimPending "product_claim_pending" 503
        "The import could not be finished. Send the call again: it is idempotent." "Não foi possível concluir a importação. Envie a chamada de novo: ela é idempotente.";
    ChallengeUnavailable "challenge_unavailable" 503
        "Verification is temporarily unavailable. The audit runs without it." "A verificação está temporariamente indisponível. A auditoria é feita sem ela.";
    MailUnavailable "mail_unavailable" 503
        "This server is not set up to send email, which this call needs. Contact its operator." "Este servidor não está configurado para enviar e-mail, e esta chamada precisa disso. Fale com o operador.";
    ContactUnconfigured "contact_unconfigured" 503
        "This server has no contact form: its operator has not set a mailbox." "Este servidor não tem formulário de contato: o operador não definiu uma caixa de correio.";
    ContactQueueFull "contact_queue_full" 503
        "Too many messages are waiting to be sent. Try again in a minute." "Há mensagens demais aguardando envio. Tente de novo em um minuto.";
    OperatorUnavailable "operator_unavailable" 503
        "This server has no operator token, or its database is not responding." "Este servidor não tem token de operador, ou o banco de dados dele não está respondendo.";
    Overloaded "overloaded" 503
        "The server is at capacity. Try again in a moment." "O servidor está no limite da capacidade. Tente de novo em instantes.";
    SettlementPending "settlement_pending" 503
        "The payment is still settling. Repeat the call with the same header; it is not charged twice." "O pagamento ainda está sendo liquidado. Repita a chamada com o mesmo cabeçalho; ela não é cobrada duas vezes.";
    LabUnavailable "lab_unavailable" 503
        "Lab tests are not available on this server at the moment." "Os testes de laboratório não estão disponíveis neste servidor no momento.";
    PixUnavailable "pix_unavailable" 503
        "This server does not sell credit with Pix. Pay another way." "Este servidor não vende crédito com Pix. Pague de outro modo.";
    PixQueueFull "pix_queue_full" 503
        "Too many receipts are waiting for review. Try again later." "Há comprovantes demais aguardando análise. Tente mais tarde.";
    FacilitatorUnavailable "facilitator_unavailable" 503
        "Payments can't be settled right now. Nothing was charged. Try again later." "Não é possível liquidar pagamentos agora. Nada foi cobrado. Tente mais tarde.";
}
