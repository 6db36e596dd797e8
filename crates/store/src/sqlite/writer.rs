//! Group commit: one task owns the writing connection.

use sqlx::any::{AnyConnectOptions, AnyRow};
use sqlx::{AnyConnection, Connection};
use tokio::sync::{mpsc, oneshot};

use super::connect_writer;
use crate::error::StoreError;
use crate::place::OpenedFile;
use crate::statement::{Statement, Steps};
use crate::transaction::Transaction;

/// Writes of one commit at most. Measured: 7,400 inserts a second with `synchronous=FULL` in batches of 50.
const BATCH: usize = 50;

/// Writes that may wait. Chosen: about a tenth of a second of work, far inside the time a caller waits.
const QUEUE: usize = 1024;

enum WriterMessage {
    Work(Box<dyn CommitWork>),
    Close(oneshot::Sender<()>),
}

/// The work of one caller in a commit.
trait CommitWork: Send {
    /// Whether its caller has left.
    fn is_abandoned(&self) -> bool;

    /// Runs it within the transaction that is open on `connection`, and keeps its outcome. `Err`: a failure that
    /// concerns the whole commit.
    fn run<'c>(&'c mut self, connection: &'c mut AnyConnection) -> Steps<'c, Result<(), StoreError>>;

    /// Answers its caller with its outcome, or with the error of the commit.
    fn answer(self: Box<Self>, committed: Result<(), StoreError>);
}

/// One statement.
struct Single {
    subject: &'static str,
    statement: Option<Statement>,
    outcome: Option<Result<Vec<AnyRow>, StoreError>>,
    caller: oneshot::Sender<Result<Vec<AnyRow>, StoreError>>,
}

impl CommitWork for Single {
    fn is_abandoned(&self) -> bool {
        self.caller.is_closed()
    }

    fn run<'c>(&'c mut self, connection: &'c mut AnyConnection) -> Steps<'c, Result<(), StoreError>> {
        Box::pin(async move {
            let Some(statement) = self.statement.take() else { return Ok(()) };
            match statement.fetch_all(connection).await {
                Ok(rows) => self.outcome = Some(Ok(rows)),
                Err(error) => {
                    let error = StoreError::of_driver(self.subject, error);
                    if !error.is_of_statement() {
                        return Err(error);
                    }
                    self.outcome = Some(Err(error));
                }
            }
            Ok(())
        })
    }

    fn answer(self: Box<Self>, committed: Result<(), StoreError>) {
        let Self { subject, outcome, caller, .. } = *self;
        let outcome = committed.and_then(|()| outcome.unwrap_or_else(|| Err(not_run(subject))));
        // The caller may have left.
        let _ = caller.send(outcome);
    }
}

/// A transaction: statements that are committed together or not at all.
struct Several<T, E, F> {
    subject: &'static str,
    steps: F,
    outcome: Option<Result<T, E>>,
    caller: oneshot::Sender<Result<T, E>>,
}

impl<T, E, F> CommitWork for Several<T, E, F>
where
    T: Send,
    E: From<StoreError> + Send,
    F: for<'t> Fn(&'t mut Transaction<'_>) -> Steps<'t, Result<T, E>> + Send + Sync,
{
    fn is_abandoned(&self) -> bool {
        self.caller.is_closed()
    }

    fn run<'c>(&'c mut self, connection: &'c mut AnyConnection) -> Steps<'c, Result<(), StoreError>> {
        Box::pin(async move {
            let failed = |error: sqlx::Error| StoreError::of_driver(self.subject, error);
            // A savepoint in the transaction of the commit, so that it can be rolled back alone.
            let mut savepoint = connection.begin().await.map_err(failed)?;
            let mut transaction = Transaction::new(self.subject, &mut savepoint);
            let done = (self.steps)(&mut transaction).await;
            let (failure, _) = transaction.end();
            match failure {
                Some(error) if !error.is_of_statement() => return Err(error),
                None if done.is_ok() => savepoint.commit().await.map_err(failed)?,
                _ => savepoint.rollback().await.map_err(failed)?,
            }
            self.outcome = Some(done.and_then(|value| failure.map_or(Ok(value), |error| Err(error.into()))));
            Ok(())
        })
    }

    fn answer(self: Box<Self>, committed: Result<(), StoreError>) {
        let Self { subject, outcome, caller, .. } = *self;
        let outcome = match committed {
            Ok(()) => outcome.unwrap_or_else(|| Err(not_run(subject).into())),
            Err(error) => Err(error.into()),
        };
        // The caller may have left.
        let _ = caller.send(outcome);
    }
}

/// The answer for work that a commit left out, which no commit does.
fn not_run(subject: &'static str) -> StoreError {
    StoreError::unavailable(subject, "the write was not run")
}

/// The queue of the writing connection. Its task ends when this is dropped or closed.
pub(crate) struct WriterQueue {
    queue: mpsc::Sender<WriterMessage>,
}

impl WriterQueue {
    /// Starts the task that owns `connection` and reconnects with `options` after an error.
    #[expect(
        clippy::disallowed_methods,
        reason = "it ends with its queue, and an error of its work is an answer in it"
    )]
    pub(super) fn start(options: AnyConnectOptions, connection: AnyConnection, file: OpenedFile) -> Self {
        let (queue, messages) = mpsc::channel(QUEUE);
        tokio::spawn(Task { options, connection: Some(connection), file }.run(messages));
        Self { queue }
    }

    /// Runs `statement` in the next commit and returns once that is durable. Cancelled before its turn, it is not run.
    pub(crate) async fn write(&self, subject: &'static str, statement: Statement) -> Result<Vec<AnyRow>, StoreError> {
        let (caller, outcome) = oneshot::channel();
        self.enqueue(subject, Box::new(Single { subject, statement: Some(statement), outcome: None, caller })).await?;
        outcome.await.unwrap_or_else(|_| Err(closed(subject)))
    }

    /// Runs `steps` in the next commit, all or none; else as [`WriterQueue::write`].
    pub(crate) async fn transact<T, E, F>(&self, subject: &'static str, steps: F) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
        F: for<'t> Fn(&'t mut Transaction<'_>) -> Steps<'t, Result<T, E>> + Send + Sync + 'static,
    {
        let (caller, outcome) = oneshot::channel();
        self.enqueue(subject, Box::new(Several { subject, steps, outcome: None, caller })).await?;
        outcome.await.unwrap_or_else(|_| Err(closed(subject).into()))
    }

    async fn enqueue(&self, subject: &'static str, work: Box<dyn CommitWork>) -> Result<(), StoreError> {
        self.queue.send(WriterMessage::Work(work)).await.map_err(|_| closed(subject))
    }

    /// Writes that wait for a commit.
    pub(crate) fn waiting(&self) -> usize {
        QUEUE.saturating_sub(self.queue.capacity())
    }

    /// Waits until all writes accepted so far are answered and the connection is closed.
    pub(crate) async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.queue.send(WriterMessage::Close(done)).await.is_ok() {
            // An error means that the task has ended already.
            let _ = closed.await;
        }
    }
}

fn closed(subject: &'static str) -> StoreError {
    StoreError::unavailable(subject, "the store is closed")
}

struct Task {
    options: AnyConnectOptions,
    /// `None` after an error, which leaves its state unknown: the next batch opens a new one.
    connection: Option<AnyConnection>,
    /// Each commit is refused when it is gone.
    file: OpenedFile,
}

impl Task {
    async fn run(mut self, mut messages: mpsc::Receiver<WriterMessage>) {
        while let Some(first) = messages.recv().await {
            let (batch, close) = gather(first, &mut messages);
            self.settle(batch).await;
            if let Some(done) = close {
                if let Some(connection) = self.connection.take()
                    && let Err(error) = connection.close().await
                {
                    tracing::warn!(%error, "the SQLite database did not close cleanly");
                }
                // The caller of `close` may have left.
                let _ = done.send(());
                return;
            }
        }
    }

    /// Commits `batch` and answers each of its callers.
    async fn settle(&mut self, mut batch: Vec<Box<dyn CommitWork>>) {
        if batch.is_empty() {
            return;
        }
        let committed = self.commit(&mut batch).await;
        for work in batch {
            work.answer(committed.clone());
        }
    }
}

impl Task {
    /// Commits `batch`, unless the file is gone.
    async fn commit(&mut self, batch: &mut [Box<dyn CommitWork>]) -> Result<(), StoreError> {
        self.file.check("committing to the SQLite database")?;
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => connect_writer(&self.options).await?,
        };
        commit(&mut connection, batch).await?;
        self.connection = Some(connection);
        Ok(())
    }
}

/// Takes queued messages, up to [`BATCH`] writes or a close; drops writes whose callers left.
fn gather(
    first: WriterMessage,
    messages: &mut mpsc::Receiver<WriterMessage>,
) -> (Vec<Box<dyn CommitWork>>, Option<oneshot::Sender<()>>) {
    let mut batch = Vec::new();
    let mut next = Some(first);
    while let Some(message) = next {
        match message {
            WriterMessage::Work(work) if work.is_abandoned() => {}
            WriterMessage::Work(work) => batch.push(work),
            WriterMessage::Close(done) => return (batch, Some(done)),
        }
        next = if batch.len() < BATCH { messages.try_recv().ok() } else { None };
    }
    (batch, None)
}

/// Runs all of `batch` in one transaction. An error of one statement is the outcome of its caller only; any other error is
/// the outcome of all callers, and nothing is kept.
async fn commit(connection: &mut AnyConnection, batch: &mut [Box<dyn CommitWork>]) -> Result<(), StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver("committing to the SQLite database", error);
    // IMMEDIATE takes the write lock here, under the busy timeout; taken later it would fail at once.
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.map_err(failed)?;
    for work in batch {
        work.run(&mut transaction).await?;
    }
    transaction.commit().await.map_err(failed)
}
