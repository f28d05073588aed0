//! A real sshd on this machine.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::{TestEnvironment, is_installed, until};

const SSHD: &str = "/usr/sbin/sshd";

/// An sshd that accepts one key, and runs one command for it.
pub struct Sshd(Child);

impl Drop for Sshd {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn make_key(file: &Path) -> String {
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(file)
        .status()
        .expect("ssh-keygen");
    assert!(made.success());
    fs::read_to_string(file.with_extension("pub")).unwrap()
}

impl Sshd {
    /// Starts an sshd that answers the key of the environment with this command.
    pub fn start(env: &TestEnvironment, port: u16, command: &str) -> Self {
        let host = make_key(&env.path("host_key"));
        let own = make_key(&env.path("own_key"));
        fs::write(env.path("known"), format!("[127.0.0.1]:{port} {host}")).unwrap();
        let allowed = format!("restrict,command=\"{command}\" {own}");
        fs::write(env.path("allowed"), allowed).unwrap();
        let folder = env.folder().display();
        let config = format!(
            "ListenAddress 127.0.0.1:{port}\nHostKey {folder}/host_key\nPidFile none\n\
             AuthorizedKeysFile {folder}/allowed\nStrictModes no\nUsePAM no\n\
             PasswordAuthentication no\nPermitRootLogin prohibit-password\n\
             Subsystem sftp internal-sftp\n"
        );
        fs::write(env.path("sshd_config"), config).unwrap();
        // Where sshd runs as root, it needs this folder, which the start of the system creates.
        let _ = fs::create_dir_all("/run/sshd");
        let log = fs::File::create(env.path("sshd.log")).unwrap();
        let child = Command::new(SSHD)
            .args(["-D", "-e", "-f"])
            .arg(env.path("sshd_config"))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let sshd = Self(child);
        until("sshd listens", || TcpStream::connect(("127.0.0.1", port)).is_ok());
        sshd
    }
}

/// Returns whether an sshd is installed; otherwise reports a skipped test.
pub fn has_sshd() -> bool {
    is_installed(SSHD, Path::new(SSHD).exists())
}
