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
import { html } from '../../../html/html.ts'
import { type SignedIn, signedIn } from '../../../http/declare/rules.ts'
import { Id, oneOf } from '../../../http/parameters/schema.ts'
import { action, page, type Typed, type View, type Visit } from '../../frame/declaration.ts'
import { checkbox, field, form, hidden, problemsOf, radios, textArea, untouched } from '../../frame/forms.ts'
import { isolated } from '../../frame/parts.ts'
import { created, explainGroups, lfsHint, noNewGroups, noNewSubgroups, pathHint, requestsHint } from './sentences.ts'
import { byField, visibilityChoices } from './visibility.ts'

const fields = ['name', 'path', 'description', 'visibility']

export const newGroupPages = [
  page('GET /groups/new', {
    access: signedIn(),
    query: { parent_id: Type.Optional(Id) },
    show: async (context) => formOf(context, untouched, await parentOf(context, context.sent.parent_id)),
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
    again: async (context, typed) => {
      const id = Number(typed.values.parent_id)
      return formOf(context, byField(typed), await parentOf(context, Number.isSafeInteger(id) && id > 0 ? id : undefined))
    },
  }),
]

/** The parent of the new group; null for the top level. Throws 404 if the user can't see it, 403 if they may not create subgroups. */
async function parentOf({ app, user }: { app: App; user: User }, id: number | undefined): Promise<GroupAccess | null> {
  const parent = id === undefined ? null : await findGroup(app.db, String(id), user)
  if (!mayCreateGroup(user, parent)) throw forbidden(parent ? noNewSubgroups : noNewGroups)
  return parent
}

async function formOf({ app, user, token }: Visit & SignedIn, typed: Typed, parent: GroupAccess | null): Promise<View> {
  const settings = await readSettings(app.db)
  const { choices, usual } = visibilityChoices(settings, user, parent?.group.visibility ?? null)
  const title = parent ? 'New subgroup' : 'New group'
  return {
    title,
    main: html`
      <div class="page-form">
        <h1>${title}</h1>
        <p>${explainGroups}</p>
        ${parent && html`<p>In <a href="${groupAddress(parent.group.full_path)}">${isolated(parent.group.full_path)}</a></p>`}
        ${problemsOf(typed.errors, fields)}
        ${form(
          { action: '/groups', token, submit: parent ? 'Create subgroup' : 'Create group' },
          html`
            ${hidden(parent ? { parent_id: String(parent.group.id) } : {})}
            ${field('Name', 'name', typed, { required: true, autofocus: true, autocomplete: 'off' })}
            ${field('Path', 'path', typed, { hint: pathHint, autocomplete: 'off' })}
            ${textArea('Description', 'description', typed, { rows: 3 })}
            ${radios('Visibility', 'visibility', typed, choices, usual)}
            ${checkbox('Users can request access', 'request_access_enabled', typed, {
              value: 'false',
              hint: requestsHint,
            })}
            ${checkbox('Large files (Git LFS)', 'lfs_enabled', typed, { value: 'true', hint: lfsHint })}
          `,
        )}
      </div>
    `,
  }
}
