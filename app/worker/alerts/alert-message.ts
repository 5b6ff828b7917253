/** @module An alert in the form of the table `alerts`, created by watch/ and sent by deliver/. */

import type { FoundScriptChange } from '../../../queries/scripts/read-script-changes.ts'
import { otherIssues } from '../../../schema/issue-id.ts'
import type { ListedScan, ScanChanges } from '../../../schema/responses/scan.ts'
import type { Script } from '../../../schema/responses/script.ts'

/** Body of a webhook. Texts of pages and reports are untrusted. */
export interface AlertMessage {
  /** Event, `digest` or `test`. */
  readonly type: string
  readonly timestamp: string
  readonly data: {
    readonly alertId: string
    /** Equal in messages about one subject, such as a page or a silence and its end. */
    readonly thread?: string
    readonly summary: string
    readonly siteId?: string
    readonly siteName?: string
    /** View of the explorer; with PUBLIC_URL. */
    readonly url?: string
    readonly nextStep?: string
    /** Path in the API. */
    readonly path?: string
    readonly pageId?: string
    readonly pageLabel?: string
    readonly scanId?: string
    /** Cause and remedy of a failed scan. */
    readonly failureMessage?: string | null
    readonly headers?: readonly MessageHeader[]
    /** With a lower grade than in the page's previous complete scan. */
    readonly gradeDroppedFrom?: ScanChanges['gradeDroppedFrom']
    readonly grade?: ListedScan['grade']
    /** The first scripts. */
    readonly issues?: readonly MessageIssue[]
    readonly issueCount?: number
    /** The first items. */
    readonly scripts?: readonly MessageScript[]
    readonly scriptCount?: number
    /** The first items. */
    readonly policies?: readonly MessagePolicy[]
    readonly policyCount?: number
    /** Start of the first hour. */
    readonly hour?: string
    /** The burst, silence or failure is over. */
    readonly ended?: boolean
    /** Estimated reports of the hour of a burst without noise, or reports of the hours of a silence. */
    readonly reportCount?: number
    /** Mean of the same hours in the days or weeks before. */
    readonly usualCount?: number
    /** Bursts or silences in 24 hours, this one included. */
    readonly countInDay?: number
    /** Most frequent values of a burst. */
    readonly largest?: Partial<Record<'directive' | 'blockedHost' | 'page', { value: string; reports: number }>>
    /** First alerts of a digest. */
    readonly alerts?: readonly MessageAlert[]
    readonly alertCount?: number
    readonly siteIds?: readonly string[]
  }
}

type MessageHeader = ScanChanges['headers'][number] & {
  /** First differences of a changed header by directive, such as `+ script-src https://cdn.test`. */
  readonly differences?: readonly string[]
}

export interface MessageIssue {
  readonly id: string
  /** In a digest. */
  readonly siteId?: string
  readonly directive: string
  readonly host: string
  readonly firstSeen: string
  readonly reportCount: number
  readonly browserFamilyCount: number
  readonly affectedPages: number
  /** Latest decision about the host in the directive; null without one, absent in summaries of days. */
  readonly decision?: 'accepted' | 'rejected' | null
}

export interface MessageScript {
  /** `inline` without a source. */
  readonly url: string
  /** Start of an inline script. */
  readonly sample?: string
  /** Null of a script that the scan could not read. */
  readonly hash: string | null
  /** Hash in the last scan of the page that could read the script. */
  readonly hashBefore?: string | null
  /** Decision at the time of the message. */
  readonly decision?: FoundScriptChange['decision']
  /**
   * `returned`: an earlier scan of the page had it; `rejected`: it runs after its rejection; `not_comparable`: the page
   * has other inline scripts in each scan.
   */
  readonly change: 'added' | 'changed' | 'removed' | 'returned' | 'rejected' | 'not_comparable' | 'vulnerable'
  readonly pageId?: string
  readonly pageLabel?: string
  readonly scanId?: string
  /** With `fixedIntegrity`, the hash of the same file in the fixed version. */
  readonly advisory?: Script['advisories']['items'][number] & { library: string; fixedIntegrity: string | null }
}

export interface MessagePolicy {
  /** Id as in /v1/sites/{siteId}/csp-policies. */
  readonly id: string
  readonly disposition: 'enforce' | 'report'
  readonly policy: string
  readonly firstSeen: string
}

export interface MessageAlert {
  readonly type: string
  readonly siteId: string | null
  readonly summary: string
  readonly timestamp: string
}

/** Issues, scripts, policies and alerts that a message names. */
export const namedInMessage = 20

/** UTF-16 units of a URL or a policy in a message that names several. */
export const maxNamedLength = 300

/** Completes "New issue: ". */
export const issueText = ({ directive, host }: Pick<MessageIssue, 'directive' | 'host'>): string =>
  directive === otherIssues ? 'others above the limit of a day' : `${directive} blocks ${host || 'inline code'}`

/** Time in texts, such as `2026-11-29 09:00 UTC`. */
export const utcText = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`
