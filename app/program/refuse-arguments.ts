/** Ends a program with exit code 2 if it has arguments. @param command of the command line, which starts it too. */
export function refuseArguments(command: string): void {
  if (process.argv.length <= 2) return
  process.stderr.write(
    `The program takes no arguments: its settings are environment variables, which README.md lists, and "security-reporting ${command} --help" tells more\n`,
  )
  process.exit(2)
}
