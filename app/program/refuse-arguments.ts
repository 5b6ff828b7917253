/** Ends a program with exit code 2 if it has arguments. @param command the command of the CLI that also starts this program. */
export function refuseArguments(command: string): void {
  if (process.argv.length <= 2) return
  process.stderr.write(
    `The program has no arguments. Settings are environment variables: see "security-reporting ${command} --help"\n`,
  )
  process.exit(2)
}
