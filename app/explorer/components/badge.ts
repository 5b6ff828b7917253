import { html } from '../html.ts'
import { words } from './format.ts'

type Tone = '' | 'bad' | 'warn' | 'good' | 'accent'

/** Tone of a word by its meaning; grey for any other. */
const tones: Readonly<Record<string, Tone>> = {
  enforce: 'bad',
  enforced: 'bad',
  rejected: 'bad',
  failed: 'bad',
  unprotected: 'bad',
  never_allow: 'bad',
  deny: 'bad',
  vulnerable: 'bad',
  F: 'bad',
  report: 'warn',
  partial: 'warn',
  gap: 'warn',
  review: 'warn',
  unreviewed: 'warn',
  not_reviewed: 'warn',
  wide: 'warn',
  medium: 'warn',
  paused: 'warn',
  unknown: '',
  met: 'good',
  silent: 'good',
  authorized: 'good',
  protected: 'good',
  high: 'good',
  ok: 'good',
  complete: 'good',
  allow: 'good',
  new: 'accent',
}

export const Badge = ({
  word,
  tone = tones[word] ?? '',
  label = words(word),
  title,
}: {
  word: string
  tone?: Tone
  label?: string
  title?: string
}) => html`<span class=${`badge ${tone}`} title=${title}>${label}</span>`
