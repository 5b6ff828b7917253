import { randomUUID } from 'node:crypto'
import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { findNextPagePosition, listPageSites, listPagesToScan } from '../../../queries/pages/monitored-pages.ts'
import { bool, sql, uuid as uuidParameter } from '../../../queries/sql/sql.ts'
import { pagePattern, scanUrl } from '../../../schema/page-pattern.ts'
import { entitlements } from '../../../schema/plans.ts'
import { monitoredPage, type PageRecord } from '../../../schema/responses/monitored-page.ts'
import { pageMatch } from '../../../schema/rules/scans/page-pattern.ts'
import { importObjects } from '../../import/records/import-objects.ts'
import { monitoredPages } from '../../import/records/types/monitored-pages.ts'
import { quoteInput } from '../../pipeline/quote-input.ts'
import { insertNextRow } from '../../tenants/insert-next-row.ts'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { requestApi } from '../command/request-api.ts'
import { openSite, openTenant, requireSites } from '../command/require-tenant.ts'
import { site, tenant, uuid } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'

const { kind: kindSchema, label: labelSchema } = monitoredPage.shape

const url = option('--url <URL>', {
  about: 'The page',
  takes: 'an ASCII http or https URL without a username or fragment, such as https://shop.example.com/pay',
  schema: scanUrl,
}).makeOptionMandatory()

const kind = option('--kind <KIND>', {
  about: 'Kind of page (default: other)',
  takes: 'payment (requirements 6.4.3 and 11.6.1 of PCI DSS) or other',
  schema: kindSchema,
})

const label = option('--label <LABEL>', {
  about: 'Display name (default: host and path)',
  takes: '1 to 200 printable characters',
  schema: labelSchema,
})

const pattern = option('--pattern <PATTERN>', {
  about: 'Pattern of URLs that count as this page (default: the URL without its query)',
  takes: 'scheme://host/path; * matches within a segment, and ** as the last segment matches the rest',
  schema: pagePattern,
})

const page = option('--page <ID>', {
  about: 'The page',
  takes: 'the id of a page from "pages list", a UUID',
  schema: uuid,
}).makeOptionMandatory()

export function addPages(program: Command, context: Context): void {
  const pages = subcommand(program, 'pages', { about: 'Monitored pages of a site' })
  for (const add of [addAdd, addList, addScan, addRemove]) add(pages, context)
}

function addAdd(pages: Command, context: Context): void {
  subcommand(pages, 'add', {
    about: 'Add a page to scan and print it',
    notes: [
      'The worker scans it within a minute, then every SCAN_EVERY_HOURS, if the plan includes scans. Use "import pages" to add many',
      'pages, change a page or restore a removed one.',
    ],
    examples: [
      'pages add --tenant ID --site ID --url https://shop.example.com/pay --kind payment --label Checkout',
      'pages add --tenant ID --site ID --url https://shop.example.com/order/1 --pattern "https://shop.example.com/order/*"',
    ],
  })
    .addOption(tenant)
    .addOption(site)
    .addOption(url)
    .addOption(kind)
    .addOption(label)
    .addOption(pattern)
    .action(async ({ tenant, site, url, kind = 'other', label, pattern }) => {
      const { host, pathname, origin } = new URL(url)
      if (pattern !== undefined && !new RegExp(pageMatch(pattern).expression, 'u').test(origin + pathname)) {
        throw new Error(`--pattern does not match the page of --url, ${quoteInput(origin + pathname, 200)}`)
      }
      const { reader, writer, tenant: owner } = await openTenant(context, tenant)
      await requireSites(reader, tenant, site)
      const [next] = await reader.read(findNextPagePosition(tenant, site))
      const page: PageRecord = {
        id: randomUUID(),
        siteId: site,
        kind,
        scanUrl: url,
        position: next?.nextPosition ?? 0,
        label: label ?? `${host}${pathname}`.slice(0, 200),
        pattern: pattern ?? origin + pathname,
      }
      await importObjects({ type: monitoredPages, database: writer, tenantId: tenant }, [page])
      if (!entitlements(owner.plan, owner.overrides).capabilities.includes('pages.scans')) {
        context.log(`The ${owner.plan} plan does not include scans: "pages scan" and the worker skip the page`)
      }
      context.finish(page)
    })
}

function addList(pages: Command, context: Context): void {
  subcommand(pages, 'list', {
    about: "Print a site's pages with their latest scans",
    examples: ['pages list --tenant ID --site ID'],
  })
    .addOption(tenant)
    .addOption(site)
    .action(async ({ tenant, site }) => {
      await openSite(context, tenant, site)
      const pages: unknown[] = []
      let cursor: string | undefined
      do {
        const query = { limit: '200', cursor }
        const response = listed.parse(await requestApi(context, { tenant }, `/v1/sites/${site}/pages`, query))
        pages.push(...response.data)
        cursor = response.nextCursor ?? undefined
      } while (cursor !== undefined)
      context.finish({ pages })
    })
}

function addScan(pages: Command, context: Context): void {
  subcommand(pages, 'scan', {
    about: 'Scan a page now and print its grade, changes and scripts',
    notes: [
      'It counts like a scheduled scan. It runs in this process with its SCAN_USER_AGENT and OUTBOUND_ALLOWED. Exits 1 if the scan',
      'failed, with the reason in failureReason.',
    ],
    examples: ['pages scan --tenant ID --page ID'],
  })
    .addOption(tenant)
    .addOption(page)
    .action(async ({ tenant, page }) => {
      const { writer, tenant: owner } = await openTenant(context, tenant)
      const { capabilities } = entitlements(owner.plan, owner.overrides)
      if (!capabilities.includes('pages.scans')) {
        throw new Error(`The ${owner.plan} plan does not include scans: change it with "tenants update"`)
      }
      const [found] = await writer.read(listPagesToScan({ tenantId: tenant, id: page }))
      if (!found) throw new Error(`The tenant has no page ${page} with a URL to scan: see "pages list"`)
      // Loaded when it is needed: the clients of HTTP.
      const { scanSettings, storeScan } = await import('../../worker/scans/store-scan.ts')
      const { toPageToScan } = await import('../../worker/scans/list-due-pages.ts')
      const { id, status } = await storeScan(toPageToScan(found, capabilities), {
        database: writer,
        tenantId: tenant,
        scanId: randomUUID(),
        settings: scanSettings(context.config()),
        signal: new AbortController().signal,
      })
      const path = `/v1/sites/${found.siteId}/pages/${page}/scans/${id}`
      const { data } = printed.parse(await requestApi(context, { tenant }, path, {}))
      context.finish(data, status === 'complete' ? 0 : 1)
    })
}

function addRemove(pages: Command, context: Context): void {
  subcommand(pages, 'remove', {
    about: 'Hide a page from lists and stop scanning it',
    notes: [
      'Its scans are evidence and remain available in the API by the page id. Restore the page with "import pages".',
    ],
    examples: ['pages remove --tenant ID --page ID'],
  })
    .addOption(tenant)
    .addOption(page)
    .action(async ({ tenant, page }) => {
      const { reader, writer } = await openTenant(context, tenant)
      const found = (await reader.read(listPageSites(tenant))).find(({ id }) => id === page)
      if (!found) throw new Error(`The tenant has no page ${page}`)
      if (found.removed) {
        context.log(`The page ${page} is already removed; restore it with "import pages"`)
      } else {
        const isPage = sql`tenant_id = ${uuidParameter(tenant)} AND id = ${uuidParameter(page)}`
        await insertNextRow(writer, 'monitored_pages', isPage, { removed: bool(true) })
      }
      context.finish({ id: page, removed: true })
    })
}

const printed = z.object({ data: z.looseObject({}) })

const listed = z.object({ data: z.array(z.unknown()), nextCursor: z.string().nullish() })
