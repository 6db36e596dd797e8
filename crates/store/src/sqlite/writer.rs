//! Group commit: one task owns the writing connection.

use std::sync::Arc;

use sqlx::any::{AnyConnectOptions, AnyRow};
use sqlx::{AnyConnection, Connection, Error};
use tokio::sync::{mpsc, oneshot};

use super::connect_writer;
use crate::db::Statement;
use crate::error::{StoreError, is_of_statement};

/// Writes of one commit at most (`specs/stack.md`, Storage: 7,400 inserts/s with FULL in batches of 50).
const BATCH: usize = 50;

/// Writes that may wait. Chosen: about a tenth of a second of work, far inside the time a caller waits.
const QUEUE: usize = 1024;

/// What a write gave: its rows, or its own or its batch's error.
type Outcome = Result<Vec<AnyRow>, Arc<Error>>;

enum Message {
    Write(Write),
    Close(oneshot::Sender<()>),
}

struct Write {
    statement: Statement,
    answer: oneshot::Sender<Result<Outcome, StoreError>>,
}

/// The queue before the writing connection. The task behind it ends when this is dropped or closed.
pub(crate) struct Writer {
    queue: mpsc::Sender<Message>,
}

impl Writer {
    /// Starts the task that owns `connection`, and reconnects by `options` after an error.
    pub(super) fn start(options: AnyConnectOptions, connection: AnyConnection) -> Self {
        let (queue, messages) = mpsc::channel(QUEUE);
        tokio::spawn(Task { options, connection: Some(connection) }.run(messages));
        Self { queue }
    }

    /// Runs `statement` in the next commit and answers once that commit is on disk. A caller that leaves before its
    /// turn takes its write along.
    pub(crate) async fn write(&self, subject: &'static str, statement: Statement) -> Result<Vec<AnyRow>, StoreError> {
        let closed = || StoreError::unavailable(subject, "the store is closed");
        let (answer, outcome) = oneshot::channel();
        self.queue.send(Message::Write(Write { statement, answer })).await.map_err(|_| closed())?;
        outcome.await.map_err(|_| closed())??.map_err(|error| StoreError::of_driver(subject, error))
    }

    /// Waits until all writes accepted so far are answered and the connection is closed.
    pub(crate) async fn close(&self) {
        let (done, closed) = oneshot::channel();
        if self.queue.send(Message::Close(done)).await.is_ok() {
            // An error means that the task has ended, which is what was asked.
            let _ = closed.await;
        }
    }
}

struct Task {
    options: AnyConnectOptions,
    /// `None` after an error: what state that left is unknown, so the next batch begins with a new one.
    connection: Option<AnyConnection>,
}

impl Task {
    async fn run(mut self, mut messages: mpsc::Receiver<Message>) {
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
    async fn settle(&mut self, batch: Vec<Write>) {
        let (statements, answers): (Vec<_>, Vec<_>) =
            batch.into_iter().map(|write| (write.statement, write.answer)).unzip();
        if answers.is_empty() {
            return;
        }
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => match connect_writer(&self.options).await {
                Ok(connection) => connection,
                Err(error) => return answer(answers, std::iter::repeat_with(|| Err(error.clone()))),
            },
        };
        match commit(&mut connection, statements).await {
            Ok(outcomes) => {
                self.connection = Some(connection);
                answer(answers, outcomes.into_iter().map(Ok));
            }
            Err(error) => {
                let error = Arc::new(error);
                answer(answers, std::iter::repeat_with(|| Ok(Err(Arc::clone(&error)))));
            }
        }
    }
}

/// Takes what waits, up to [`BATCH`] writes or an order to close; drops writes whose callers left.
fn gather(first: Message, messages: &mut mpsc::Receiver<Message>) -> (Vec<Write>, Option<oneshot::Sender<()>>) {
    let mut batch = Vec::new();
    let mut next = Some(first);
    while let Some(message) = next {
        match message {
            Message::Write(write) if write.answer.is_closed() => {}
            Message::Write(write) => batch.push(write),
            Message::Close(done) => return (batch, Some(done)),
        }
        next = if batch.len() < BATCH { messages.try_recv().ok() } else { None };
    }
    (batch, None)
}

/// Runs all statements in one transaction. What concerns one statement only is its own outcome; any other error is
/// everyone's, and nothing is kept.
async fn commit(connection: &mut AnyConnection, statements: Vec<Statement>) -> Result<Vec<Outcome>, Error> {
    // IMMEDIATE: takes the lock here, under the busy timeout, and not in the middle, where waiting can't help.
    let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await?;
    let mut outcomes = Vec::with_capacity(statements.len());
    for statement in statements {
        match statement.fetch_all(&mut *transaction).await {
            Ok(rows) => outcomes.push(Ok(rows)),
            Err(error) if is_of_statement(&error) => outcomes.push(Err(Arc::new(error))),
            Err(error) => return Err(error),
        }
    }
    transaction.commit().await?;
    Ok(outcomes)
}

fn answer(
    answers: Vec<oneshot::Sender<Result<Outcome, StoreError>>>,
    outcomes: impl Iterator<Item = Result<Outcome, StoreError>>,
) {
    for (answer, outcome) in answers.into_iter().zip(outcomes) {
        // A caller may have left in the meantime; its write stands all the same.
        let _ = answer.send(outcome);
    }
}
