import { runCli } from './cli/run-cli.ts'

// A reader that closes its pipe early ends the command; that is no defect.
process.stdout.on('error', () => undefined)
process.exitCode = await runCli(process.argv.slice(2), process.env, process)
