import { spawnSync } from 'node:child_process'
import { hash, X509Certificate } from 'node:crypto'
import { ensureInstalled } from './ensure-installed.ts'

/** A certificate of this machine that signs itself, good for a day. */
export interface TestCertificate {
  readonly key: string
  readonly cert: string
  /** Makes Chromium accept it, also for the delivery of reports. */
  readonly chromiumSwitch: string
}

/** @param hosts beside localhost. */
export function makeCertificate(hosts: readonly string[] = []): TestCertificate {
  const names = ['subjectAltName=DNS:localhost,IP:127.0.0.1', ...hosts.map((host) => `DNS:${host}`)].join(',')
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  const subject = ['-subj', '/CN=localhost', '-addext', names, '-days', '1']
  const command = ['req', '-x509', ...curve, ...subject, '-keyout', '-', '-out', '-']
  const { stdout, stderr, status } = spawnSync(ensureInstalled('openssl'), command, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`openssl failed: ${stderr}`)
  const publicKey = new X509Certificate(stdout).publicKey.export({ type: 'spki', format: 'der' })
  const chromiumSwitch = `--ignore-certificate-errors-spki-list=${hash('sha256', publicKey, 'base64')}`
  return { key: stdout, cert: stdout, chromiumSwitch }
}
