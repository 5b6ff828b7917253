import { createTransport } from 'nodemailer'
import { failed, type Send, sent } from './sender.ts'

interface MailError {
  readonly responseCode?: number
  readonly code?: string
  readonly message?: string
}

const untrusted =
  'The certificate of the mail server is not trusted: set NODE_EXTRA_CA_CERTS of the worker to the CA file'

/**
 * Plain text to one recipient; its Message-ID is derived from the delivery, so repeats have the same one. List-Id names
 * the site, for filters, and References the subject.
 */
export const sendEmail: Send = async ({ address }, { deliveryId, thread, siteId, summary, text }, settings) => {
  const { smtpUrl, mailFrom, timeoutMs } = settings
  if (smtpUrl === undefined || mailFrom === undefined) {
    return failed({ message: 'Mail requires SMTP_URL and MAIL_FROM, which are not set for the worker' })
  }
  const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs }
  const transport = createTransport({ url: smtpUrl, ...timeouts, disableFileAccess: true, disableUrlAccess: true })
  const domain = mailFrom.split('@')[1]
  try {
    await transport.sendMail({
      from: { name: 'Security Reporting', address: mailFrom },
      to: { name: '', address },
      subject: summary,
      text,
      messageId: `<${deliveryId}@${domain}>`,
      references: `<${thread}@${domain}>`,
      headers: { 'Auto-Submitted': 'auto-generated', 'List-Id': `<${siteId ?? 'all'}.alerts.${domain}>` },
    })
    return sent
  } catch (error) {
    const { responseCode, code = 'no code', message } = error as MailError
    if (responseCode === undefined && /certificate|self.signed/i.test(String(message)))
      return failed({ message: untrusted })
    if (responseCode === undefined) return failed({ message: `Cannot reach the mail server (${code})` })
    const isFinal = responseCode >= 500 && code !== 'EAUTH'
    return { isSent: false, failure: `The mail server responded ${responseCode}`, isFinal }
  } finally {
    transport.close()
  }
}
