import { runCli } from './cli/run-cli.ts'

// A reader that leaves a pipe ends the command; it is no defect.
process.stdout.on('error', () => undefined)
process.exitCode = await runCli(process.argv.slice(2), process.env, process)
