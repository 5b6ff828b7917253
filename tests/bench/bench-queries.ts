import { issueId } from '../../schema/issue-id.ts'
import { issueKeyOf } from '../../schema/rules/issue-key-of.ts'
import { biggestSite } from './bench-data.ts'
import type { BenchQuery } from './bench-query.ts'
import { cspQueries } from './csp-queries.ts'
import { groupQueries } from './group-queries.ts'
import { newest } from './newest-query.ts'
import { count, grouped, histogram, series, types } from './report-queries.ts'
import { values } from './values-query.ts'

const browserOs = { browserName: 'Chrome', osName: 'Windows' }
const page = 'https://www7.shop.test/blog/7'
const issue = {
  siteId: biggestSite,
  reportType: 'csp-violation',
  subject: 'img-src',
  host: 'cdn1.thirdparty.test',
} as const
const ofIssue = { siteId: biggestSite, issueId: issueId(issueKeyOf(issue)) }
const three = { directive: 'img-src', browserName: 'Chrome', deviceType: 'desktop' }

/** Queries of a dashboard; `target` is the least ratio of plain SQL's time to the API's at 100 million reports. */
export const benchQueries: readonly BenchQuery[] = [
  histogram({ days: 7, bucket: 'hour', target: 8 }),
  histogram({ days: 7, bucket: 'hour', filters: { directive: 'img-src' }, target: 10 }),
  histogram({ days: 7, bucket: 'hour', filters: three, target: 10 }),
  histogram({ days: 31, bucket: 'hour', target: 15 }),
  histogram({ days: 31, bucket: 'hour', filters: { directive: 'img-src' }, target: 20 }),
  histogram({ days: 31, bucket: 'hour', filters: { blockedHost: 'cdn40.thirdparty.test' }, target: 20 }),
  histogram({ days: 31, bucket: 'hour', filters: three, target: 20 }),
  histogram({
    days: 31,
    bucket: 'hour',
    filters: { directive: 'connect-src', blockedHost: 'cdn_.thirdparty.test', documentHost: 'www1.shop.test' },
    target: 20,
  }),
  series({ by: 'directive', target: 20 }),
  series({ by: 'browserName', filters: { directive: 'img-src' }, target: 10 }),
  series({ by: 'blockedHost', target: 10 }),
  histogram({ days: 6.9, bucket: 'minute', target: 10 }),
  histogram({ days: 6.9, bucket: 'minute', filters: { directive: 'img-src' }, target: 10 }),
  grouped({ by: ['directive'], target: 20 }),
  grouped({ by: ['blockedHost'], target: 20 }),
  grouped({ by: ['browserName'], target: 20 }),
  grouped({ by: ['documentHost'], target: 20 }),
  grouped({ by: ['blockedUrl'], type: 'integrity-violation', target: 15 }),
  grouped({ by: ['directive'], filters: browserOs, target: 15 }),
  grouped({ by: ['blockedHost'], filters: { directive: 'img-src', browserName: 'Chrome' }, target: 15 }),
  grouped({ by: ['documentHost'], filters: browserOs, target: 15 }),
  grouped({ by: ['browserName', 'osName'], target: 15 }),
  grouped({ by: ['directive', 'blockedHost'], target: 15 }),
  grouped({ by: ['documentHost', 'blockedHost'], target: 15 }),
  grouped({ by: ['browserName', 'osName'], filters: { deviceType: 'mobile', disposition: 'enforce' }, target: 15 }),
  grouped({ by: ['directive', 'blockedHost'], filters: browserOs, target: 15 }),
  grouped({ by: ['documentHost', 'blockedHost'], filters: browserOs, target: 15 }),
  count({ target: 25 }),
  count({ filters: { directive: 'img-src' }, target: 20 }),
  count({ filters: { blockedHost: 'cdn40.thirdparty.test' }, target: 20 }),
  count({ filters: { blockedHost: 'cdn1_.thirdparty.test' }, target: 20 }),
  count({ filters: { 'directive.any': ['img-src', 'font-src', 'media-src'] }, target: 20 }),
  count({ filters: { 'directive.not': ['img-src', 'font-src', 'media-src'] }, target: 20 }),
  count({ filters: { 'blockedHost.not': 'cdn40.thirdparty.test' }, target: 10 }),
  count({ filters: { 'blockedHost.contains': 'cdn40' }, target: 10 }),
  count({ filters: { noise: 'exclude' }, target: 20 }),
  count({ filters: ofIssue, target: 10 }),
  histogram({
    days: 31,
    bucket: 'hour',
    filters: { 'directive.any': ['img-src', 'font-src', 'media-src'] },
    target: 15,
  }),
  histogram({ days: 31, bucket: 'hour', filters: { noise: 'exclude' }, target: 15 }),
  histogram({ days: 31, bucket: 'hour', filters: ofIssue, target: 1 }),
  grouped({ by: ['directive'], filters: { noise: 'exclude' }, target: 15 }),
  grouped({ by: ['blockedHost'], filters: { noise: 'exclude' }, target: 15 }),
  grouped({ by: ['page'], target: 5 }),
  values({ of: 'page', target: 5 }),
  values({ of: 'page', filters: { 'page.contains': '/blog/1' }, target: 5 }),
  values({ of: 'blockedHost', target: 20 }),
  values({ of: 'blockedHost', contains: 'cdn40', target: 10 }),
  values({ of: 'browserName', filters: ofIssue, target: 1 }),
  count({ filters: { page }, target: 5 }),
  types({ target: 40 }),
  newest({ target: 10 }),
  newest({ filters: { blockedHost: 'nowhere.test' }, target: 15 }),
  newest({ filters: { page: 'https://www199.shop.test/blog/15999' }, target: 15 }),
  newest({ filters: { blockedHost: 'cdn1990.thirdparty.test' }, target: 15 }),
  newest({ filters: { blockedHost: 'cdn900.thirdparty.test', documentHost: 'www3.shop.test' }, target: 15 }),
  ...groupQueries,
  ...cspQueries,
]
