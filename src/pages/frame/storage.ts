/** Storage of a user or a group with the limits that apply to it, and the form in which administrators set them. */

import { Type } from 'typebox'
import { type LimitName, maxLimit_mib, type NamespaceStorage } from '../../features/storage/quotas/quotas.ts'
import { type Html, html } from '../../html/html.ts'
import { size } from '../../html/phrases.ts'
import { t, translated } from '../../html/sentences.ts'
import { assertValid } from '../../validation.ts'
import type { Typed } from './declaration.ts'
import { field, form, problemsOf } from './forms.ts'

export function storageLines({ used_bytes, rooms }: NamespaceStorage): Html {
  const lines = rooms.map(({ what, used_bytes, limit_bytes }) => html`<li>${what}: ${size(used_bytes)} of ${size(limit_bytes)}</li>`)
  return html`
    <p>Repositories, large files, wikis, snippets, artifacts, packages and uploads: ${size(used_bytes)}.</p>
    ${lines.length > 0 ? html`<ul>${lines}</ul>` : html`<p>No limit.</p>`}
  `
}

export const limitFields = { repository_size_limit: Type.String({ default: '' }), storage_size_limit: Type.String({ default: '' }) }

const labels: Record<LimitName, [label: string, hint: string]> = translated({
  storage_size_limit: ['Limit of storage', 'Of everything, in MB. Empty for that of the server, 0 for none.'],
  repository_size_limit: ['Limit of each repository', 'With its large files, in MB. Empty for the limit above, 0 for none.'],
})

interface LimitForm {
  action: string
  token: Html
  /** The limits that this form sets. */
  names: readonly LimitName[]
}

export function limitForm({ limits }: NamespaceStorage, { action, token, names }: LimitForm, typed: Typed): Html {
  return html`
    ${problemsOf(typed.errors, names)}
    ${form(
      { action, token, submit: t`Set limits` },
      html`${names.map((name) => {
        const [label, hint] = labels[name]
        return field(label, name, typed, { type: 'number', min: 0, value: `${limits[name] ?? ''}`, hint })
      })}`,
    )}
  `
}

/** The limits in the fields of the form. Throws 400 for what is no limit. */
export function limitsIn<N extends LimitName>(sent: Record<N, string>, names: readonly N[]): Record<N, number | null> {
  const error = (text: string) =>
    /^\d*$/.test(text.trim()) && Number(text) <= maxLimit_mib ? null : t`must be a number up to ${maxLimit_mib}`
  assertValid(Object.fromEntries(names.map((name) => [name, error(sent[name])])))
  return Object.fromEntries(names.map((name) => [name, sent[name].trim() === '' ? null : Number(sent[name])])) as Record<N, number | null>
}
