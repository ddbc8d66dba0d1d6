/** The form of a wiki page. */

import { mayDeletePages } from '../../../access/wikis.ts'
import { wikiWorkAddress } from '../../../addresses/documents.ts'
import { placeAddress } from '../../../addresses/places.ts'
import { type Page, pageFormats } from '../../../features/documents/wikis/wikis.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed, View } from '../../frame/declaration.ts'
import {
  dangerous,
  field,
  form,
  hidden,
  markdownField,
  postButton,
  problemsOf,
  select,
  textFieldScript,
  untouched,
} from '../../frame/forms.ts'
import type { Seen } from './seen.ts'
import { sentences } from './sentences.ts'

const names = ['title', 'content', 'format', 'message']

/** `edited` is null for a new page. */
export function formView(
  { place, token, user }: Seen,
  edited: { page: Page; content: string; commit: string } | null,
  typed: Typed = untouched,
  proposed = '',
): Omit<View, 'above'> {
  const heading = edited ? t`Edit page` : t`New page`
  const formats = pageFormats.map((format) => [format, format] as const)
  const project = place.kind === 'project' ? { project: place.row } : {}
  const content = html`
    ${field(t`Title`, 'title', typed, {
      value: edited?.page.title ?? proposed,
      required: true,
      autofocus: !edited,
      autocomplete: 'off',
      hint: sentences.titleHint,
    })}
    ${select(t`Format`, 'format', typed, formats, { value: edited?.page.format ?? 'markdown' })}
    ${markdownField(t`Content`, 'content', typed, { value: edited?.content ?? '', rows: 20, required: true, ...project })}
    ${field(t`Message`, 'message', typed, { autocomplete: 'off', hint: sentences.messageHint })}${
      edited && hidden({ last_commit_sha: typed.values.last_commit_sha ?? edited.commit })
    }
  `
  const action = edited ? wikiWorkAddress(place, 'update', edited.page.slug) : `${placeAddress(place, 'wikis')}/-/create`
  return {
    title: t`${heading} · Wiki`,
    scripts: [textFieldScript],
    main: html`
      <h1>${heading}</h1>
      ${problemsOf(typed.errors, names)}${form({ action, token, submit: edited ? t`Save` : t`Create page` }, content)}
      ${
        edited &&
        user &&
        mayDeletePages(place, user) &&
        dangerous(
          t`Delete this page`,
          html`
            <p>${sentences.deletion}</p>
            ${postButton(t`Delete page`, { action: wikiWorkAddress(place, 'delete', edited.page.slug), token, kind: 'danger' })}
          `,
        )
      }
    `,
  }
}
