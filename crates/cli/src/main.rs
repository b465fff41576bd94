//! The command `clearance`.

fn main() -> std::process::ExitCode {
    clearance_cli::run()
}
