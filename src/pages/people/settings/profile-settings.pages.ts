/** The user's own profile and status. */

import { Type } from 'typebox'
import { changeUser, setStatus, statusOf } from '../../../features/people/users/users.ts'
import { appearanceOf } from '../../../features/storage/appearance/appearance.ts'
import { userAvatarUrl } from '../../../features/storage/avatars/avatars.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../../html/sentences.ts'
import { signedIn } from '../../../http/declare/rules.ts'
import { File, nullable } from '../../../http/parameters/schema.ts'
import { assertValid } from '../../../validation.ts'
import { action, page, type Typed, type View } from '../../frame/declaration.ts'
import { checkbox, field, form, postButton, problemsOf, textArea, untouched } from '../../frame/forms.ts'
import { avatar } from '../../frame/parts.ts'
import { proseOf } from '../../frame/texts.ts'
import { sentences } from './sentences.ts'
import { lineErrors, type OwnVisit, settingsView } from './settings-view.ts'

const text = Type.String({ default: '' })

const profileFields = {
  name: text,
  bio: text,
  location: text,
  organization: text,
  job_title: text,
  pronouns: text,
  public_email: text,
  website_url: text,
  skype: text,
  linkedin: text,
  twitter: text,
  private_profile: Type.Boolean({ default: false }),
  avatar: Type.Optional(nullable(File)),
}

export const profileSettingsPages = [
  page('GET /profile', { access: signedIn(), show: (visit) => profileForm(visit, untouched) }),
  action('POST /profile', {
    access: signedIn(),
    form: profileFields,
    async act({ app, user, sent: { bio, location, organization, avatar: picture, ...lines } }) {
      const { name: _, private_profile: __, ...others } = lines
      assertValid(lineErrors({ ...others, location, organization }))
      const orNull = (line: string) => (line.trim() === '' ? null : line)
      await changeUser(app, user.id, {
        ...lines,
        bio: orNull(bio),
        location: orNull(location),
        organization: orNull(organization),
        // A form sends an empty file if none was selected.
        ...(picture && picture.bytes.length > 0 && { avatar: picture }),
      })
      return { redirect: '/profile', notice: sentences.profileSaved }
    },
    again: profileForm,
  }),
  action('POST /profile/avatar', {
    access: signedIn(),
    async act({ app, user }) {
      await changeUser(app, user.id, { avatar: null })
      return { redirect: '/profile', notice: sentences.avatarRemoved }
    },
  }),
  action('POST /profile/status', {
    access: signedIn(),
    form: { emoji: text, message: text },
    async act({ app, user, sent }) {
      const status = await setStatus(app.db, user.id, { ...sent, emoji: sent.emoji.replaceAll(':', '').trim() })
      return { redirect: '/profile', notice: status ? sentences.statusSaved : sentences.statusCleared }
    },
    again: profileForm,
  }),
]

const shownFields = [...Object.keys(profileFields), 'emoji', 'message']

async function profileForm({ app, user, token }: OwnVisit, typed: Typed): Promise<View> {
  const status = await statusOf(app.db, user.id)
  const picture = html`
    <div class="picture-field">
      ${avatar(userAvatarUrl(app.config, user), 64)}
      <div>
        ${await proseOf(appearanceOf(app).profile_image_guidelines)}
        ${field(t`New picture`, 'avatar', typed, { type: 'file', accept: 'image/*', hint: sentences.avatarHint })}
      </div>
    </div>
  `
  const lines = html`
    ${field(t`Name`, 'name', typed, {
      value: user.name,
      required: true,
      autocomplete: 'name',
      hint: sentences.nameHint,
    })}
    ${textArea(t`About you`, 'bio', typed, { value: user.bio ?? '', rows: 3, hint: sentences.bioHint })}
    <div class="pair">
      ${field(t`Location`, 'location', typed, { value: user.location ?? '' })}
      ${field(t`Organization`, 'organization', typed, { value: user.organization ?? '' })}
    </div>
    <div class="pair">
      ${field(t`Job title`, 'job_title', typed, { value: user.job_title })}
      ${field(t`Pronouns`, 'pronouns', typed, { value: user.pronouns })}
    </div>
    ${field(t`Public email`, 'public_email', typed, {
      value: user.public_email,
      type: 'email',
      hint: sentences.publicEmailHint,
    })}
    ${field(t`Website`, 'website_url', typed, { value: user.website_url, placeholder: 'https://' })}
    <details>
      <summary>Other services</summary>
      ${field(t`Skype`, 'skype', typed, { value: user.skype })}
      ${field('LinkedIn', 'linkedin', typed, { value: user.linkedin })}
      ${field(t`Twitter`, 'twitter', typed, { value: user.twitter })}
    </details>
    ${checkbox(t`Private profile`, 'private_profile', typed, { value: `${user.private_profile}`, hint: sentences.privateHint })}
  `
  const statusForm = html`
    <div class="pair">
      ${field(t`Emoji`, 'emoji', typed, { value: status?.emoji ?? '', hint: sentences.emojiHint })}
      ${field(t`Message`, 'message', typed, { value: status?.message ?? '', hint: sentences.statusHint })}
    </div>
  `
  return settingsView('profile', {
    title: t`Profile`,
    main: html`
      <h1>Profile</h1>
      <p class="hint"><a href="/${user.username}">See your profile as others do</a></p>
      ${problemsOf(typed.errors, shownFields)}
      ${form({ action: '/profile', token, submit: t`Save profile`, files: true }, html`${picture}${lines}`)}
      ${user.avatar_name !== null && postButton(t`Remove picture`, { action: '/profile/avatar', token })}
      <h2>Status</h2>
      ${form({ action: '/profile/status', token, submit: t`Set status` }, statusForm)}
      ${status && postButton(t`Clear status`, { action: '/profile/status', token, fields: { emoji: '', message: '' } })}
    `,
  })
}
