//! A connection that is closed when its client leaves a response unread for too long.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Sleep, sleep};

use crate::web::limits::MAX_WRITE_WAIT;

/// A connection with a limit on how long a write waits. hyper limits the time of reading.
pub(super) struct Patient {
    stream: TcpStream,
    limit: Pin<Box<Sleep>>,
    is_waiting: bool,
}

impl Patient {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self { stream, limit: Box::pin(sleep(MAX_WRITE_WAIT)), is_waiting: false }
    }

    /// Passes on the result of a write, or an error if the client has read nothing for too long.
    fn limited(
        &mut self,
        written: Poll<io::Result<usize>>,
        context: &mut Context,
    ) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.is_waiting = false;
            return written;
        }
        if !self.is_waiting {
            self.is_waiting = true;
            self.limit.set(sleep(MAX_WRITE_WAIT));
        }
        self.limit.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.limited(written, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.limited(written, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::task::ready;

    use tokio::net::TcpListener;
    use tokio::time::timeout;

    use super::*;

    /// The clock of the test goes on by itself whenever nothing else can happen.
    #[tokio::test(start_paused = true)]
    async fn a_client_that_takes_nothing_is_given_up() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let mut stream = Patient::new(listener.accept().await.unwrap().0);
        let given_up = poll_fn(|context| {
            loop {
                if let Err(error) = ready!(Pin::new(&mut stream).poll_write(context, &[0; 9999])) {
                    return Poll::Ready(error.kind());
                }
            }
        });
        assert_eq!(timeout(2 * MAX_WRITE_WAIT, given_up).await, Ok(io::ErrorKind::TimedOut));
        drop(client);
    }
}
