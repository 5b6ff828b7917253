import type { Command } from '@commander-js/extra-typings'
import { z } from 'zod'
import { option } from '../command/arguments.ts'
import type { Context } from '../command/context.ts'
import { requestApi } from '../command/request-api.ts'
import { api, site, tenantUnlessApi } from '../command/shared-arguments.ts'
import { subcommand } from '../command/subcommand.ts'
import { readPolicy } from '../csp/read-policy.ts'

const last = () =>
  option('--last <DURATION>', {
    about: 'Time window of reports, up to now (default: 31d, within retention)',
    takes: 'up to 31 days, such as 24h or 7d',
    schema: z.string().min(1),
  })

const policyId = () =>
  option('--policy-id <ID>', {
    about: 'Id of the policy',
    takes: 'an id from /v1/sites/{siteId}/csp-policies, 32 hexadecimal digits',
    schema: z.string().min(1),
  })

/** A parameter of the API, which checks it. */
const adviceOption = <Flags extends string>(flags: Flags, about: string, takes: string) =>
  option(flags, { about, takes, schema: z.string().min(1) })

const keyNote =
  "With --api no database is needed. A key for one site in API_KEY is enough, for example in the CI of the site's repository."

export function addCsp(program: Command, context: Context): void {
  const csp = subcommand(program, 'csp', { about: 'Propose and check a content security policy' })
  for (const add of [addAdvise, addCheck]) add(csp, context)
}

function addAdvise(csp: Command, context: Context): void {
  subcommand(csp, 'advise', {
    about: 'Propose the next policy of a site',
    notes: [
      'Prints the response of /v1/sites/{siteId}/csp-policies/advice: "jq -r .data.proposed.text" is the policy.',
      'Reports are unverified: a source is allowed if a scan, a served policy or "sources accept" confirms it. Exits 1 if sources',
      'need review, or if the policy appears in reports only and nothing is proposed.',
      keyNote,
    ],
    examples: ['csp advise --tenant ID --site ID', 'csp advise --api https://reports.example.com --site ID --last 7d'],
  })
    .addOption(tenantUnlessApi)
    .addOption(site)
    .addOption(policyId())
    .addOption(policyFile())
    .addOption(
      adviceOption(
        '--min-confidence <LEVEL>',
        'Minimum confidence for a source to be allowed (default: high)',
        'high or medium',
      ),
    )
    .addOption(
      adviceOption(
        '--new-days <DAYS>',
        'Days for which a third party counts as new and needs review (default: 7)',
        '0 to 31',
      ),
    )
    .addOption(
      adviceOption(
        '--scope <SCOPE>',
        'Reports that quote the policy, or all reports of the site (default: policy)',
        'policy or site',
      ),
    )
    .addOption(last())
    .addOption(api)
    .action(async ({ site, policyId, policy: file, minConfidence, newDays, scope, ...options }) => {
      const policy = file === undefined ? undefined : await readPolicy(context, file)
      const query = { policyId, policy, minConfidence, newDays, scope }
      const response = await requestApi(context, options, `/v1/sites/${site}/csp-policies/advice`, query)
      const { base, reviewCount } = advised.parse(response).data
      context.finish(response, base === 'reported' || reviewCount > 0 ? 1 : 0)
    })
}

function addCheck(csp: Command, context: Context): void {
  subcommand(csp, 'check', {
    about: 'Check which past reports a policy would still have caused',
    notes: [
      'Prints the response of /v1/sites/{siteId}/csp-policies/check. Exits 1 if violations other than noise remain.',
      keyNote,
    ],
    examples: [
      'csp check --tenant ID --site ID --policy policy.txt',
      'csp check --api https://reports.example.com --site ID --policy - --last 7d',
      'csp advise --tenant ID --site ID | jq -r .data.proposed.text | security-reporting csp check --tenant ID --site ID --policy -',
    ],
  })
    .addOption(tenantUnlessApi)
    .addOption(site)
    .addOption(policyFile().makeOptionMandatory())
    .addOption(policyId())
    .addOption(last())
    .addOption(api)
    .action(async ({ site, policy: file, policyId, ...options }) => {
      const policy = await readPolicy(context, file)
      const path = `/v1/sites/${site}/csp-policies/check`
      const response = await requestApi(context, options, path, { policy, policyId })
      const { violation, noise } = checked.parse(response).data.totals
      context.finish(response, violation.reportCount > noise.reportCount ? 1 : 0)
    })
}

const policyFile = () =>
  option('--policy <FILE>', {
    about: 'The policy as a header value',
    takes: 'the path of a file, or - to read stdin',
    schema: z.string().min(1),
  })

const advised = z.object({ data: z.object({ base: z.string(), reviewCount: z.number() }) })

const reports = z.object({ reportCount: z.number() })

const checked = z.object({ data: z.object({ totals: z.object({ violation: reports, noise: reports }) }) })
