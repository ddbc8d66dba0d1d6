/** Creating projects. */

import { Type } from 'typebox'
import { visibilities } from '../../../access/levels.ts'
import { badParameter } from '../../../failure.ts'
import { maxArchive_bytes } from '../../../features/transfer/archive/archive.ts'
import { importsAllowed, startArchiveImport } from '../../../features/transfer/archive-imports/archive-imports.ts'
import { createProjectFrom } from '../../../features/transfer/project-creation.ts'
import { t } from '../../../html/sentences.ts'
import { only, signedIn } from '../../../http/declare/rules.ts'
import { Id, LargeFile, Off, oneOf, oneOfDefault } from '../../../http/parameters/schema.ts'
import { action, page } from '../../frame/declaration.ts'
import { newProjectView, origins } from './new.view.ts'
import * as say from './sentences.ts'

const text = Type.String({ default: '' })
const namespace_id = Type.Optional(Id)
const named = { name: text, path: text, description: text, visibility: Type.Optional(oneOf(...visibilities)), namespace_id }

/** Empty fields count as not sent. */
function filled<T extends { name: string; path: string; description: string }>({ name, path, description, ...rest }: T) {
  const own = { name: name.trim(), path: path.trim(), description: description.trim() }
  if (own.name === '' && own.path === '') throw badParameter(t`Give the project a name.`)
  return {
    ...rest,
    ...(own.name && { name: own.name }),
    ...(own.path && { path: own.path }),
    ...(own.description && { description: own.description }),
  }
}

export const newProjectPages = [
  page('GET /projects/new', {
    access: signedIn(),
    query: { from: oneOfDefault('blank', ...origins.filter((name) => name !== 'blank')), namespace_id },
    show: ({ sent, ...context }) => newProjectView(context, sent.from, { namespace_id: sent.namespace_id }),
  }),
  action('POST /projects/new/blank', {
    access: signedIn(),
    form: { ...named, initialize_with_readme: Off, license: text, gitignore: text },
    async act({ app, user, sent: { license, gitignore, ...sent } }) {
      const project = await createProjectFrom(app, user, { ...filled(sent), license, gitignore })
      return { redirect: `/${project.full_path}`, notice: say.created(project.name) }
    },
    again: (context, typed) => newProjectView(context, 'blank', { typed }),
  }),
  action('POST /projects/new/url', {
    access: signedIn(),
    form: { ...named, import_url: text },
    async act({ app, user, sent: { import_url, ...sent } }) {
      if (import_url.trim() === '') throw badParameter(t`Give the address of the repository.`)
      const project = await createProjectFrom(app, user, { ...filled(sent), import_url: import_url.trim(), initialize_with_readme: false })
      return { redirect: `/${project.full_path}/import` }
    },
    again: (context, typed) => newProjectView(context, 'url', { typed }),
  }),
  action('POST /projects/new/archive', {
    access: only(signedIn(), importsAllowed),
    form: { file: LargeFile, path: text, namespace_id },
    maxFile_bytes: () => maxArchive_bytes,
    async act({ app, user, sent: { file, path, namespace_id: id } }) {
      const namespace = id === undefined ? undefined : String(id)
      const project = await startArchiveImport(app, user, { file, path: path.trim(), namespace, overwrite: false, overrides: {} })
      return { redirect: `/${project.full_path}/import` }
    },
    again: (context, typed) => newProjectView(context, 'archive', { typed }),
  }),
]
