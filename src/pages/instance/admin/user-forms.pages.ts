/** Creates and edits users. */

import { Type } from 'typebox'
import type { User } from '../../../db/tables.ts'
import { invalid, notFound } from '../../../failure.ts'
import { findNamespace } from '../../../features/namespaces/namespaces.ts'
import { changeUser, createUser } from '../../../features/people/users/users.ts'
import { changeLimits, storageOf } from '../../../features/storage/quotas/quotas.ts'
import { type Html, html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { within } from '../../../http/declare/within.ts'
import { assertValid, blankError } from '../../../validation.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { checkbox, field, form, problemsOf, textArea, untouched } from '../../frame/forms.ts'
import { assertProved, proofField } from '../../frame/proof.ts'
import { limitForm, limitsIn, storageLines } from '../../frame/storage.ts'
import { lineErrors, takenByField } from '../../people/settings/settings-view.ts'
import { type AdminVisit, administration, adminView } from './admin-view.ts'
import { sentences } from './sentences.ts'
import { adminAddressOf, namedUser, ofUser } from './users.pages.ts'

const text = Type.String({ default: '' })
const box = Type.Boolean({ default: false })

/** The administrator's own password or code: a stolen session must not set passwords or make administrators. */
const proof = { proof: text }

const userFields = {
  name: text,
  username: text,
  email: text,
  password: text,
  projects_limit: text,
  bio: text,
  location: text,
  organization: text,
  job_title: text,
  pronouns: text,
  public_email: text,
  website_url: text,
  provider: text,
  extern_uid: text,
  admin: box,
  external: box,
  can_create_group: box,
  private_profile: box,
}

const shownFields = [...Object.keys(userFields), 'proof']

type Sent = {
  [Name in keyof typeof userFields]: Name extends 'admin' | 'external' | 'can_create_group' | 'private_profile' ? boolean : string
}

export const userFormPages = [
  page('GET /admin/users/new', { access: administration(), show: (visit) => newView(visit, untouched) }),
  action('POST /admin/users/new', {
    access: administration(),
    form: { ...userFields, ...proof },
    async act({ sent: { proof: shown, ...sent }, ...visit }) {
      await assertProved(visit, shown)
      const created = await createUser(visit.app, { ...wantedOf(sent), confirmed: true, is_invited: sent.password === '' }).catch(
        takenByField,
      )
      return { redirect: adminAddressOf(created), notice: sentences.userCreated }
    },
    again: newView,
  }),
  page('GET /admin/users/:username/edit', {
    access: within(administration(), namedUser),
    show: (visit) => editView(visit, untouched),
  }),
  action('POST /admin/users/:username/edit', {
    access: within(administration(), namedUser),
    form: { ...userFields, ...proof },
    async act({ owner, sent: { proof: shown, ...sent }, ...visit }) {
      await assertProved(visit, shown)
      const changed = await changeUser(visit.app, owner.id, { ...wantedOf(sent), skip_reconfirmation: true }).catch(takenByField)
      return { redirect: adminAddressOf(changed), notice: sentences.userSaved }
    },
    again: editView,
  }),
  action('POST /admin/users/:username/limits', {
    access: within(administration(), namedUser),
    form: { storage_size_limit: text },
    async act({ app, owner, sent }) {
      const own = await findNamespace(app.db, { owner_id: owner.id })
      if (!own) throw notFound('Namespace')
      await changeLimits(app, { namespace_id: own.id }, limitsIn(sent, userLimits))
      return { redirect: `${adminAddressOf(owner)}/edit`, notice: sentences.userSaved }
    },
    again: editView,
  }),
]

const userLimits = ['storage_size_limit'] as const

/** The arguments of the service from a submitted form. Throws 400 for what the service doesn't check. */
function wantedOf({
  projects_limit,
  provider,
  extern_uid,
  password,
  bio,
  location,
  organization,
  website_url,
  job_title,
  pronouns,
  ...rest
}: Sent) {
  assertValid({
    ...lineErrors({ location, organization, website_url, job_title, pronouns, provider, extern_uid }),
    projects_limit: /^\d{0,10}$/.test(projects_limit.trim()) ? null : t`is not a number`,
    ...((provider.trim() === '') !== (extern_uid.trim() === '') && { extern_uid: t`goes with a provider, and a provider with it` }),
  })
  const orNull = (line: string) => (blankError(line) ? null : line)
  return {
    ...rest,
    website_url,
    job_title,
    pronouns,
    bio: orNull(bio),
    location: orNull(location),
    organization: orNull(organization),
    ...(password !== '' && { password }),
    ...(projects_limit.trim() !== '' && { projects_limit: Number(projects_limit) }),
    ...(provider.trim() !== '' && { provider: provider.trim(), extern_uid: extern_uid.trim() }),
  }
}

function newView(visit: AdminVisit, typed: Typed): View {
  return adminView('users', {
    title: t`New user`,
    main: html`
      <h1>New user</h1>
      ${problemsOf(typed.errors, shownFields)}
      ${form(
        { action: '/admin/users/new', token: visit.token, submit: t`Create user` },
        html`${fieldsOf(null, typed)}${proofField(visit, typed)}`,
      )}
    `,
  })
}

async function editView({ owner, ...visit }: AdminVisit & { owner: User }, typed: Typed): Promise<View> {
  const { app, token } = visit
  if (owner.kind !== 'human') throw invalid(t`This is for the accounts of people.`)
  const own = await findNamespace(app.db, { owner_id: owner.id })
  const storage = own && (await storageOf(app, own.id))
  const limits = { action: `${adminAddressOf(owner)}/limits`, token, names: userLimits }
  return ofUser(owner, 'edit', {
    title: t`Edit`,
    main: html`
      ${problemsOf(typed.errors, shownFields)}
      ${form(
        { action: `${adminAddressOf(owner)}/edit`, token, submit: t`Save user` },
        html`${fieldsOf(owner, typed)}${proofField(visit, typed)}`,
      )}
      ${storage && html`<h2>Storage</h2>${storageLines(storage)}${limitForm(storage, limits, typed)}`}
    `,
  })
}

function fieldsOf(owner: User | null, typed: Typed): Html {
  const value = (
    name: 'name' | 'username' | 'email' | 'bio' | 'location' | 'organization' | 'website_url' | 'job_title' | 'pronouns' | 'public_email',
  ) => ({
    value: owner?.[name] ?? '',
  })
  const tick = (name: 'admin' | 'external' | 'can_create_group' | 'private_profile', fallback = false) =>
    ({ value: `${owner?.[name] ?? fallback}` }) as const
  const passwordHint = owner ? sentences.passwordHint : sentences.newPasswordHint
  return html`
    <div class="pair">
      ${field(t`Name`, 'name', typed, { ...value('name'), required: true, autocomplete: 'off' })}
      ${field(t`Username`, 'username', typed, { ...value('username'), required: true, autocomplete: 'off' })}
      ${field(t`Email`, 'email', typed, {
        ...value('email'),
        type: 'email',
        required: true,
        autocomplete: 'off',
        hint: sentences.emailHint,
      })}
      ${field(t`Password`, 'password', typed, { type: 'password', autocomplete: 'new-password', hint: passwordHint })}
    </div>
    <h2>Rights</h2>
    ${checkbox(t`Administrator`, 'admin', typed, { ...tick('admin'), hint: t`Sees everything, and administers the service.` })}
    ${checkbox(t`External`, 'external', typed, {
      ...tick('external'),
      hint: t`Sees only public projects and those they are a member of, and creates none.`,
    })}
    ${checkbox(t`May create groups`, 'can_create_group', typed, tick('can_create_group', true))}
    ${field(t`Project limit`, 'projects_limit', typed, {
      type: 'number',
      min: 0,
      value: owner ? `${owner.projects_limit}` : '',
      hint: t`Leave empty for the default.`,
    })}
    <h2>Profile</h2>
    ${textArea(t`Bio`, 'bio', typed, { ...value('bio'), rows: 3 })}
    <div class="pair">
      ${field(t`Location`, 'location', typed, value('location'))}
      ${field(t`Organization`, 'organization', typed, value('organization'))}
      ${field(t`Job title`, 'job_title', typed, value('job_title'))}
      ${field(t`Pronouns`, 'pronouns', typed, value('pronouns'))}
      ${field(t`Public email`, 'public_email', typed, { ...value('public_email'), type: 'email' })}
      ${field(t`Website`, 'website_url', typed, value('website_url'))}
    </div>
    ${checkbox(t`Private profile`, 'private_profile', typed, tick('private_profile'))}
    <h2>Identity</h2>
    <p class="hint">${sentences.identityHint}</p>
    <div class="pair">${field(t`Provider`, 'provider', typed)}${field(t`Identifier`, 'extern_uid', typed)}</div>
  `
}
