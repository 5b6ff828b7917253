import { number } from '../../components/format.ts'
import { visible } from '../../components/value.ts'

/** A value as Markdown code, safe for any content. */
function code(value: string | null | undefined) {
  const text = visible(value ?? '') || '(unknown)'
  const fence = '`'.repeat(Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length)) + 1)
  return text.includes('`') ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`
}

/** An issue as Markdown, for a ticket. */
export function ticketOf({ issue, row, source, siteName, families, firstSeen, lastSeen, pages, url }: any) {
  const isCsp = issue.reportType === 'csp-violation'
  const title = isCsp
    ? `${code(issue.subject)} blocked ${code(issue.targetHost)}`
    : `${issue.reportType}: ${code(issue.subject)} of ${code(issue.targetHost)}`
  const lines = [
    `## ${title}`,
    '',
    `- Site: ${code(siteName)}`,
    row &&
      `- Reports: ${number(row.reportCount)} (about ${number(row.estimatedReportCount)} estimated), ${number(row.affectedPages)} pages, confidence ${row.confidence}`,
    firstSeen && `- First seen: ${firstSeen}`,
    lastSeen && `- Last seen: ${lastSeen}`,
    families.length > 0 && `- Browsers: ${families.map(visible).join(', ')}`,
    source?.expression && `- Advice (${source.decision}): add ${code(source.expression)} to ${code(source.addTo)}`,
    source && !source.expression && `- Advice: ${source.decision} (${source.reasons.join(', ')})`,
    pages.length > 0 &&
      `- Pages: ${pages.map(({ page, reportCount }: any) => `${code(page)} (${number(reportCount)})`).join(', ')}`,
    '',
    url,
  ]
  return lines.filter((line) => line !== undefined && line !== false && line !== null).join('\n')
}
