/** Creates a group, at the top level or in another group. */

import { Type } from 'typebox'
import { findGroup, type GroupAccess } from '../../../access/find.ts'
import { visibilities } from '../../../access/levels.ts'
import { groupAddress } from '../../../addresses/places.ts'
import type { App } from '../../../app.ts'
import type { User } from '../../../db/tables.ts'
import { forbidden, invalid } from '../../../failure.ts'
import { readSettings } from '../../../features/instance/settings/settings.ts'
import { pathFromName } from '../../../features/namespaces/namespaces.ts'
import { createGroup, mayCreateGroup } from '../../../features/spaces/groups/groups.ts'
import { importsAllowed } from '../../../features/transfer/archive-imports/archive-imports.ts'
import { importGroup, maxArchive_bytes } from '../../../features/transfer/group-archives/group-archives.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { only, type SignedIn, signedIn } from '../../../http/declare/rules.ts'
import { Id, LargeFile, oneOf, oneOfDefault } from '../../../http/parameters/schema.ts'
import { action, page, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { checkbox, field, form, hidden, problemsOf, radios, textArea, untouched } from '../../frame/forms.ts'
import { isolated, navigation } from '../../frame/parts.ts'
import {
  created,
  explainGroups,
  imported,
  importsOff,
  lfsHint,
  noNewGroups,
  noNewSubgroups,
  pathHint,
  requestsHint,
  whatImport,
} from './sentences.ts'
import { byField, visibilityChoices } from './visibility.ts'

const fields = ['name', 'path', 'description', 'visibility']

export const newGroupPages = [
  page('GET /groups/new', {
    access: signedIn(),
    query: { from: oneOfDefault('blank', 'archive'), parent_id: Type.Optional(Id) },
    async show(context) {
      const { from, parent_id } = context.sent
      const parent = await parentOf(context, parent_id)
      return from === 'archive' ? importView(context, untouched, parent) : formOf(context, untouched, parent)
    },
  }),
  action('POST /groups', {
    access: signedIn(),
    form: {
      parent_id: Type.Optional(Id),
      name: Type.String({ default: '' }),
      path: Type.String({ default: '' }),
      description: Type.String({ default: '' }),
      visibility: Type.Optional(oneOf(...visibilities)),
      request_access_enabled: Type.Boolean({ default: false }),
      lfs_enabled: Type.Boolean({ default: true }),
    },
    async act({ app, user, sent: { parent_id, name, path, ...fields } }) {
      const parent = await parentOf({ app, user }, parent_id)
      const group = await createGroup(app, user, { ...fields, name, path: path === '' ? pathFromName(name) : path }, parent, invalid)
      return { redirect: groupAddress(parent ? `${parent.group.full_path}/${group.path}` : group.path), notice: created(group.name) }
    },
    again: async (context, typed) => formOf(context, byField(typed), await parentTyped(context, typed)),
  }),
  action('POST /groups/new/archive', {
    access: only(signedIn(), importsAllowed),
    form: { parent_id: Type.Optional(Id), file: LargeFile, name: Type.String({ default: '' }), path: Type.String({ default: '' }) },
    maxFile_bytes: () => maxArchive_bytes,
    async act({ app, user, sent: { parent_id, file, name, path } }) {
      const parent = await parentOf({ app, user }, parent_id)
      const group = await importGroup(app, user, { file, name, path: path === '' ? pathFromName(name) : path, parent }, invalid)
      return { redirect: groupAddress(group.full_path), notice: imported(group.name) }
    },
    again: async (context, typed) => importView(context, byField(typed), await parentTyped(context, typed)),
  }),
]

function parentTyped(context: { app: App; user: User }, typed: Typed): Promise<GroupAccess | null> {
  const id = Number(typed.values.parent_id)
  return parentOf(context, Number.isSafeInteger(id) && id > 0 ? id : undefined)
}

/** The parent of the new group; null for the top level. Throws 404 if the user can't see it, 403 if they may not create subgroups. */
async function parentOf({ app, user }: { app: App; user: User }, id: number | undefined): Promise<GroupAccess | null> {
  const parent = id === undefined ? null : await findGroup(app.db, String(id), user)
  if (!mayCreateGroup(user, parent)) throw forbidden(parent ? noNewSubgroups() : noNewGroups())
  return parent
}

async function formOf({ app, user, token }: Visit & SignedIn, typed: Typed, parent: GroupAccess | null): Promise<View> {
  const settings = await readSettings(app.db)
  const { choices, usual } = visibilityChoices(settings, user, parent?.group.visibility ?? null)
  const title = parent ? t`New subgroup` : t`New group`
  return {
    title,
    main: html`
      <div class="page-form">
        <h1>${title}</h1>
        <p>${explainGroups()}</p>
        ${parent && html`<p>In <a href="${groupAddress(parent.group.full_path)}">${isolated(parent.group.full_path)}</a></p>`}
        ${originTabs('blank', parent)}${problemsOf(typed.errors, fields)}
        ${form(
          { action: '/groups', token, submit: parent ? t`Create subgroup` : t`Create group` },
          html`
            ${hidden(parent ? { parent_id: String(parent.group.id) } : {})}
            ${field(t`Name`, 'name', typed, { required: true, autofocus: true, autocomplete: 'off' })}
            ${field(t`Path`, 'path', typed, { hint: pathHint(), autocomplete: 'off' })}
            ${textArea(t`Description`, 'description', typed, { rows: 3 })}
            ${radios(t`Visibility`, 'visibility', typed, choices, usual)}
            ${checkbox(t`Users can request access`, 'request_access_enabled', typed, {
              value: 'false',
              hint: requestsHint(),
            })}
            ${checkbox(t`Large files (Git LFS)`, 'lfs_enabled', typed, { value: 'true', hint: lfsHint() })}
          `,
        )}
      </div>
    `,
  }
}

/** The form for a group that comes from an archive. */
async function importView({ app, token }: Visit & SignedIn, typed: Typed, parent: GroupAccess | null): Promise<View> {
  const title = parent ? t`New subgroup` : t`New group`
  const { import_sources } = await readSettings(app.db)
  const content = html`
    ${hidden(parent ? { parent_id: String(parent.group.id) } : {})}
    ${field(t`Archive`, 'file', typed, { type: 'file', required: true, accept: '.gz' })}
    ${field(t`Name`, 'name', typed, { required: true, autocomplete: 'off' })}
    ${field(t`Path`, 'path', typed, { hint: pathHint(), autocomplete: 'off' })}
  `
  const isAllowed = import_sources.includes('gitlab_project')
  return {
    title,
    main: html`
      <div class="page-form">
        <h1>${title}</h1>
        ${originTabs('archive', parent)}
        <p>${isAllowed ? whatImport() : importsOff()}</p>
        ${problemsOf(typed.errors, ['name', 'path', 'file'])}
        ${isAllowed && form({ action: '/groups/new/archive', token, submit: t`Import`, files: true }, content)}
      </div>
    `,
  }
}

function originTabs(current: 'blank' | 'archive', parent: GroupAccess | null): Html {
  const addressOf = (parameters: Record<string, string>) => {
    const query = new URLSearchParams({ ...parameters, ...(parent && { parent_id: String(parent.group.id) }) }).toString()
    return query === '' ? '/groups/new' : `/groups/new?${query}`
  }
  return navigation(
    t`Where its content comes from`,
    [
      { label: t`Blank group`, href: addressOf({}), isCurrent: current === 'blank' },
      { label: t`Import an archive`, href: addressOf({ from: 'archive' }), isCurrent: current === 'archive' },
    ],
    'tabs second',
  )
}
