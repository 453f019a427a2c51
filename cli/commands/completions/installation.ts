// Where each shell looks for its completion script, as the command's help shows it. Apart from the
// command, so that help does not load the scripts.

export const INSTALLATION: { line: string; does: string }[] = [
  {
    line: "shieldfive completions bash > ~/.local/share/bash-completion/completions/shieldfive",
    does: "bash, where the bash-completion package is in use",
  },
  {
    line: 'eval "$(shieldfive completions bash)"',
    does: "bash without it, as on macOS: this line in ~/.bashrc",
  },
  {
    line: "shieldfive completions zsh > ~/.zsh/completions/_shieldfive",
    does: "zsh: that folder, or any, must be in $fpath before compinit runs",
  },
  {
    line: "source <(shieldfive completions zsh)",
    does: "or, for zsh: this line in ~/.zshrc, after compinit",
  },
  {
    line: "shieldfive completions fish > ~/.config/fish/completions/shieldfive.fish",
    does: "fish; the folders above the file must be there",
  },
];
