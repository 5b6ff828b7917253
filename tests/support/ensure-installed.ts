import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'

/** Programs that tests run, and the Debian package of each. */
export const packages = {
  'redis-server': 'redis-server',
  chromium: 'chromium',
  openssl: 'openssl',
  promtool: 'prometheus',
  jq: 'jq',
  nginx: 'nginx-light',
  gcc: 'gcc libc6-dev',
  java: 'default-jre-headless',
  '/usr/share/zookeeper/bin/zkServer.sh': 'zookeeper',
} as const

export type Program = keyof typeof packages

/** One installer at a time; the policy keeps the package from starting a server of its own. */
const install = (program: Program) => `
  command -v ${program} >/dev/null && exit 0
  export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
  policy=/usr/sbin/policy-rc.d
  if [ ! -e $policy ]; then
    trap 'rm -f $policy' EXIT
    printf '#!/bin/sh\\nexit 101\\n' > $policy && chmod +x $policy
  fi
  apt-get update && apt-get install -y --no-install-recommends ${packages[program]}
`

/** True if apt can bring what is missing. */
const canInstall = existsSync('/etc/debian_version') && process.getuid?.() === 0

/** The reason why a program is not there and cannot be installed, with the command to get it. */
export const whyMissing = (program: Program): string | undefined =>
  findProgram(program) !== undefined || canInstall
    ? undefined
    : `${program} is missing; get it with: ${commandToGetIt(program)}`

/**
 * The path of a program. Where it is missing it is installed with apt when this process is root on Debian or Ubuntu;
 * elsewhere this throws one line with the command to get it.
 */
export function ensureInstalled(program: Program): string {
  const found = findProgram(program)
  if (found) return found
  if (canInstall) {
    process.stderr.write(`${program} is missing: installing it with apt\n`)
    spawnSync('flock', ['/tmp/ensure-installed.lock', 'sh', '-c', install(program)], { stdio: ['ignore', 2, 2] })
  }
  const installed = findProgram(program)
  if (!installed) throw new Error(`${program} is missing; get it with: ${commandToGetIt(program)}`)
  return installed
}

function findProgram(program: Program): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => resolve(folder, program)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function commandToGetIt(program: Program): string {
  const name = program === 'redis-server' ? 'redis' : packages[program]
  if (process.platform === 'darwin') return `brew install ${name}`
  if (existsSync('/etc/debian_version')) return `sudo apt-get install -y --no-install-recommends ${packages[program]}`
  return existsSync('/etc/alpine-release') ? `apk add ${name}` : `dnf install -y ${name}`
}
