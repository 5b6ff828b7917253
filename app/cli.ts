import { runCli } from './cli/run-cli.ts'

process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // A reader that closes its pipe early ends the command without an error.
  if (code === 'EPIPE') return
  process.stderr.write(`Failed to write the output: ${message}\n`)
  process.exitCode = 1
})
const exitCode = await runCli(process.argv.slice(2), process.env, process)
process.exitCode ||= exitCode
