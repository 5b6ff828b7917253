import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const packageName = 'redis-server'

/** One installer at a time; the policy keeps the package from starting a server of its own on Redis's usual port. */
const install = `
  command -v ${packageName} >/dev/null && exit 0
  export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
  policy=/usr/sbin/policy-rc.d
  if [ ! -e $policy ]; then
    trap 'rm -f $policy' EXIT
    printf '#!/bin/sh\\nexit 101\\n' > $policy && chmod +x $policy
  fi
  apt-get update && apt-get install -y --no-install-recommends ${packageName}
`

/**
 * The path of redis-server. Where it is missing it is installed with apt when this process is root on Debian or Ubuntu;
 * elsewhere this throws one line with the command to get it.
 */
export function ensureRedis(): string {
  const found = findRedis()
  if (found) return found
  if (existsSync('/etc/debian_version') && process.getuid?.() === 0) {
    process.stderr.write(`${packageName} is missing: installing it with apt\n`)
    spawnSync('flock', ['/tmp/ensure-redis.lock', 'sh', '-c', install], { stdio: ['ignore', 2, 2] })
  }
  const installed = findRedis()
  if (!installed) throw new Error(`${packageName} is missing; get it with: ${commandToGetIt()}`)
  return installed
}

function findRedis(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter)
  return folders.map((folder) => join(folder, packageName)).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function commandToGetIt(): string {
  if (process.platform === 'darwin') return 'brew install redis'
  if (existsSync('/etc/debian_version')) return `sudo apt-get install -y --no-install-recommends ${packageName}`
  return existsSync('/etc/alpine-release') ? 'apk add redis' : 'dnf install -y redis'
}
