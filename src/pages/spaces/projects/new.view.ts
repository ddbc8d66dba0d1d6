/** The forms of new projects: blank, imported from a URL, imported from an archive. */

import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { readSettings } from '../../../features/instance/settings/settings.ts'
import { gitignores, licenses } from '../../../features/instance/templates/templates.ts'
import { listCreatable } from '../../../features/namespaces/namespaces.ts'
import { appearanceOf } from '../../../features/storage/appearance/appearance.ts'
import { type Html, html } from '../../../html/html.ts'
import { t, translated } from '../../../html/sentences.ts'
import type { Typed, View } from '../../frame/declaration.ts'
import { checkbox, field, form, problemsOf, select, textArea, untouched } from '../../frame/forms.ts'
import { emptyState, navigation } from '../../frame/parts.ts'
import { proseOf } from '../../frame/texts.ts'
import * as say from './sentences.ts'
import { visibilityField, withFormNames } from './visibility-field.ts'

export const origins = ['blank', 'url', 'archive'] as const
export type Origin = (typeof origins)[number]

const labels: Record<Origin, string> = translated({ blank: 'Blank project', url: 'Import from a URL', archive: 'Import an archive' })
const maxNamespaces = 500

export interface Creating {
  app: App
  user: User
  token: Html
}

export async function newProjectView(
  { app, user, token }: Creating,
  origin: Origin,
  { typed: sent = untouched, namespace_id }: { typed?: Typed; namespace_id?: number | undefined } = {},
): Promise<View> {
  const [settings, namespaces] = await Promise.all([readSettings(app.db), listCreatable(app.db, user, maxNamespaces)])
  const typed = withFormNames(sent)
  const isAllowed = {
    blank: true,
    url: settings.import_sources.includes('git'),
    archive: settings.import_sources.includes('gitlab_project'),
  }
  const tabs = origins.map((name) => ({
    label: labels[name],
    href: name === 'blank' ? '/projects/new' : `/projects/new?from=${name}`,
    isCurrent: name === origin,
  }))
  const named = html`
    ${origin !== 'archive' && field(t`Name`, 'name', typed, { required: true, autofocus: true })}
    ${select(
      t`Namespace`,
      'namespace_id',
      typed,
      namespaces.map(({ id, full_path }) => [String(id), full_path]),
      { value: namespace_id === undefined ? undefined : String(namespace_id) },
    )}
    ${field(t`Path`, 'path', typed, { hint: origin === 'archive' ? undefined : say.pathHint(), required: origin === 'archive' })}
  `
  const about = html`
    ${textArea(t`Description`, 'description', typed, { rows: 2 })}
    ${visibilityField(typed, settings.default_project_visibility, { settings, user })}
  `
  const content = {
    blank: html`${named}${about}${firstFiles(typed)}`,
    url: html`${fromUrl(typed)}${named}${about}`,
    archive: html`${fromArchive(typed)}${named}`,
  }[origin]
  const known = ['name', 'namespace_id', 'path', 'description', 'visibility', 'import_url', 'file']
  const submit = origin === 'blank' ? t`Create project` : t`Import`
  const shown = form({ action: `/projects/new/${origin}`, token, submit, files: origin === 'archive' }, content)
  const body = !isAllowed[origin] ? emptyState(say.importsOff()) : namespaces.length === 0 ? emptyState(say.noNamespace()) : shown
  return {
    title: t`New project`,
    main: html`
      <div class="form-page">
        <h1>New project</h1>
        ${await proseOf(appearanceOf(app).new_project_guidelines)}
        ${navigation(t`Where its content comes from`, tabs, 'tabs second')}${problemsOf(typed.errors, known)}${body}
      </div>
    `,
  }
}

function firstFiles(typed: Typed): Html {
  const none = ['', t`None`] as const
  return html`
    ${checkbox(t`Begin with a README`, 'initialize_with_readme', typed, {
      value: 'false',
      hint: t`So that it can be cloned at once. Leave it off to push a repository you have.`,
    })}
    ${select(t`Licence`, 'license', typed, [none, ...licenses.map(({ key, name }) => [key, name] as const)], {
      hint: t`A file LICENSE with your name and the year.`,
    })}
    ${select(
      '.gitignore',
      'gitignore',
      typed,
      [
        none,
        ...Object.keys(gitignores)
          .sort()
          .map((name) => [name, name] as const),
      ],
      { hint: t`A file .gitignore with what is not to be committed.` },
    )}
  `
}

const fromUrl = (typed: Typed) =>
  field(t`Address of the repository`, 'import_url', typed, { type: 'url', required: true, hint: say.importHint(), autocomplete: 'off' })

const fromArchive = (typed: Typed) =>
  field(t`Archive`, 'file', typed, { type: 'file', required: true, accept: '.tar.gz,.tgz,application/gzip', hint: say.archiveHint() })
