/** The form of a snippet: its title, its files and its visibility. Works without scripts. */

import { type Static, type TObject, type TProperties, Type } from 'typebox'
import type { LocatedProject } from '../../../access/find.ts'
import { visibilities } from '../../../access/levels.ts'
import type { App } from '../../../app.ts'
import type { Snippet, User, Visibility } from '../../../db/tables.ts'
import { readSettings, restrictedVisibilityError } from '../../../features/instance/settings/settings.ts'
import { type Content, filesOf } from '../../../features/snippets/snippets.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { oneOf } from '../../../http/parameters/schema.ts'
import type { Typed, View, Visit } from '../../frame/declaration.ts'
import { field, form, markdownField, problemsOf, radios, textArea, textFieldScript, untouched } from '../../frame/forms.ts'
import { visibilityNames } from '../../frame/levels.ts'
import { restricted } from '../../spaces/projects/sentences.ts'
import { sentences, visibilityMeaning } from './sentences.ts'

const maxFiles = 10
const numbers = Array.from({ length: maxFiles }, (_, index) => index)

/** The field names of a file; those of the first file are the names in the API, so that errors appear at them. */
const namesOf = (index: number) =>
  index === 0 ? { path: 'file_name', content: 'content' } : { path: `file_name_${index}`, content: `content_${index}` }

const fileFields: TProperties = Object.fromEntries(
  numbers.flatMap((index) => {
    const { path, content } = namesOf(index)
    return [
      [path, Type.String({ default: '' })],
      [content, Type.String({ default: '' })],
    ]
  }),
)

export const snippetForm = {
  title: Type.String({ default: '' }),
  description: Type.String({ default: '' }),
  visibility: Type.Optional(oneOf('private', 'internal', 'public')),
  ...(fileFields as Record<'file_name' | 'content', ReturnType<typeof Type.String>>),
}

type Sent = Static<TObject<typeof snippetForm>>

/** The content of the form, as arguments of the services. */
export function requestOf(sent: Sent): { title: string; description: string | null; visibility?: Visibility; contents: Content[] } {
  const values = sent as unknown as Record<string, string>
  const all = numbers.map((index) => {
    const { path, content } = namesOf(index)
    return { path: (values[path] ?? '').trim(), content: values[content] ?? '' }
  })
  const used = all.filter(({ path, content }) => path !== '' || content !== '')
  const contents = used.length > 0 ? used : all.slice(0, 1)
  const description = sent.description === '' ? null : sent.description
  return { title: sent.title, description, contents, ...(sent.visibility && { visibility: sent.visibility }) }
}

export interface Forming extends Visit {
  app: App
  user: User
  /** Null for a personal one. */
  project: LocatedProject | null
  /** Null for a new one. */
  snippet: Snippet | null
}

/** @param target URL that the form posts to */
export async function snippetFormView(forming: Forming, target: string, typed: Typed = untouched): Promise<Omit<View, 'above'>> {
  const { app, user, token, project, snippet } = forming
  const heading = snippet ? t`Edit snippet` : t`New snippet`
  const settings = await readSettings(app.db)
  const files = snippet ? await filesOf(app.db, snippet.id) : [{ path: '', content: '' }]
  const visibility = snippet?.visibility ?? settings.default_snippet_visibility
  const choices = visibilities.map(
    (level) =>
      [
        level,
        visibilityNames[level],
        visibilityMeaning[level],
        level !== snippet?.visibility && restrictedVisibilityError(settings, user, level) !== null ? restricted() : null,
      ] as const,
  )
  const content = html`
    ${field(t`Title`, 'title', typed, { value: snippet?.title, required: true, autofocus: true, autocomplete: 'off' })}
    ${markdownField(t`Description`, 'description', typed, {
      value: snippet?.description ?? '',
      rows: 4,
      ...(project && { project, takesFiles: true }),
    })}
    ${filesIn(files, typed)}${radios(t`Visibility`, 'visibility', typed, choices, visibility)}
  `
  const shown = numbers.flatMap((index) => Object.values(namesOf(index)))
  return {
    title: heading,
    scripts: [textFieldScript],
    main: html`
      <h1>${heading}</h1>
      ${problemsOf(typed.errors, ['title', 'description', 'visibility', ...shown])}
      ${form({ action: target, token, submit: snippet ? t`Save` : t`Create snippet` }, content)}
    `,
  }
}

/** The files it has, or those that were submitted, and an empty one. */
function filesIn(files: readonly Content[], typed: Typed): Html {
  const typedLast = numbers.findLastIndex((index) => Object.values(namesOf(index)).some((name) => typed.values[name]))
  const shown = Math.max(files.length, typedLast + 1)
  const next = shown < maxFiles && html`<details><summary>${sentences.another}</summary>${fileIn(shown, undefined, typed)}</details>`
  return html`
    ${numbers.slice(0, shown).map((index) => fileIn(index, files[index], typed))}
    ${shown > 1 && html`<p class="hint">${sentences.emptied}</p>`}${next}
  `
}

function fileIn(index: number, file: Content | undefined, typed: Typed): Html {
  const { path, content } = namesOf(index)
  const nth = index === 0 ? '' : ` ${index + 1}`
  return html`
    <div class="file-fields">
      ${field(t`File name${nth}`, path, typed, { value: file?.path, autocomplete: 'off', placeholder: 'example.sh' })}
      ${textArea(t`Content${nth}`, content, typed, { value: file?.content ?? '', rows: 12 })}
    </div>
  `
}
