/** The states of merge requests, on all pages that show one. */

import type { MergeRequest } from '../../db/tables.ts'
import { type Html, html } from '../../html/html.ts'
import { t } from '../../html/sentences.ts'
import { icon } from '../frame/parts.ts'

const states = (): Record<MergeRequest['state'], readonly [words: string, icon: string]> => ({
  opened: [t`Open`, 'merge'],
  closed: [t`Closed`, 'cross'],
  locked: [t`Merging`, 'clock'],
  merged: [t`Merged`, 'check'],
})

export function stateWords({ state }: Pick<MergeRequest, 'state'>): string {
  return states()[state][0]
}

export function stateIcon({ state }: Pick<MergeRequest, 'state'>): Html {
  const [words, picture] = states()[state]
  return html`<span class="${`issue-icon ${state}`}" title="${words}">${icon(picture)}<span class="unseen">${words}</span></span>`
}

export function stateTag({ state }: Pick<MergeRequest, 'state'>): Html {
  const [words, picture] = states()[state]
  return html`<span class="tag state ${state}">${icon(picture)} ${words}</span>`
}
