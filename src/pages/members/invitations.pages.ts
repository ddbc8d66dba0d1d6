/** Invitations by mail: sent, sent again and withdrawn by those who manage a place, accepted and declined by who has the link. */

import { Type } from 'typebox'
import { groupAddress, membersAddress } from '../../addresses/places.ts'
import type { App } from '../../app.ts'
import type { User } from '../../db/tables.ts'
import { readSettings } from '../../features/instance/settings/settings.ts'
import {
  acceptInvitation,
  getInvitation,
  invitationByToken,
  invite,
  pathOfInvitation,
  removeInvitation,
  type SentInvitation,
  sendAgain,
} from '../../features/spaces/invitations/invitations.ts'
import { type Html, html } from '../../html/html.ts'
import { day } from '../../html/phrases.ts'
import { t } from '../../html/sentences.ts'
import { columnsOf, managers, onProjectOrGroup, type PlaceKind } from '../../http/declare/places.ts'
import { anyone, signedIn } from '../../http/declare/rules.ts'
import { Day, nullable } from '../../http/parameters/schema.ts'
import { signInFrom } from '../frame/addresses.ts'
import { action, type Page, page, type Typed, type View } from '../frame/declaration.ts'
import { postButton } from '../frame/forms.ts'
import { roleName } from '../frame/levels.ts'
import { isolated } from '../frame/parts.ts'
import type { Seen } from './members.view.ts'
import * as say from './sentences.ts'

type Again = (seen: Seen, typed: Typed) => Promise<View>

const address = Type.String({ default: '', maxLength: 255 })

/** Pages for managers of a project or group, who invite people and withdraw invitations. */
export function invitationPages(kind: PlaceKind, again: (form: 'invite' | 'other') => Again): Page[] {
  const base = kind === 'project' ? '/:project/project_members/invitations' : '/groups/:group/-/group_members/invitations'
  const access = onProjectOrGroup(kind, managers)
  return [
    action(`POST ${base}`, {
      access,
      form: { email: address, access_level: Type.Integer(), expires_at: Type.Optional(nullable(Day)) },
      async act({ app, place, user, sent: { email, access_level, expires_at = null } }) {
        const refused = await invite(app, columnsOf(place), user, { access_level, expires_at }, [email])
        const [reason] = Object.values(refused)
        if (reason !== undefined) throw say.notInvited(reason)
        return { redirect: membersAddress(place), notice: say.invited(email) }
      },
      again: again('invite'),
    }),
    action(`POST ${base}/send`, {
      access,
      form: { email: address },
      async act({ app, place, user, sent: { email } }) {
        await sendAgain(app, await getInvitation(app, columnsOf(place), email), user)
        return { redirect: membersAddress(place), notice: say.invited(email) }
      },
      again: again('other'),
    }),
    action(`POST ${base}/withdraw`, {
      access,
      form: { email: address },
      async act({ app, place, sent: { email } }) {
        await removeInvitation(app, await getInvitation(app, columnsOf(place), email))
        return { redirect: membersAddress(place), notice: say.invitationWithdrawn(email) }
      },
      again: again('other'),
    }),
  ]
}

/** The page behind the link of the message. Opening it does nothing yet, since programs open links, too. */
export const acceptInvitationPages = [
  page('GET /-/invites/:invitation', {
    access: anyone(),
    async show({ app, user, token, params }) {
      const invitation = await invitationByToken(app, params.invitation)
      const here = `/-/invites/${params.invitation}`
      const accept = postButton(t`Accept`, { action: `${here}/accept`, token, kind: 'primary' })
      return {
        title: t`Invitation`,
        main: html`
          <div class="narrow">
            <h1>Invitation</h1>
            <p>${await sentenceOf(app, invitation)}</p>
            ${user === null ? await waysIn(app, here) : html`<p>${isSignedIn(user)}</p>${accept}`}
            ${postButton(t`Decline`, { action: `${here}/decline`, token })}
          </div>
        `,
      }
    },
  }),
  action('POST /-/invites/:invitation/accept', {
    access: signedIn(),
    async act({ app, user, params }) {
      const invitation = await invitationByToken(app, params.invitation)
      const isNew = await acceptInvitation(app, params.invitation, user)
      const path = await pathOfInvitation(app.db, invitation)
      const redirect = invitation.project_id === null ? groupAddress(path) : `/${path}`
      return { redirect, notice: isNew ? say.joined(path) : say.memberAlready(path) }
    },
  }),
  action('POST /-/invites/:invitation/decline', {
    access: anyone(),
    async act({ app, params }) {
      await removeInvitation(app, await invitationByToken(app, params.invitation))
      return { title: t`Invitation declined`, main: html`<h1>Invitation declined</h1><p>${say.invitationDeclined()}</p>` }
    },
  }),
]

const isSignedIn = ({ name, username }: User) => html`You are signed in as ${isolated(name)} (@${username}).`

async function sentenceOf(app: App, invitation: SentInvitation): Promise<Html> {
  const path = await pathOfInvitation(app.db, invitation)
  const until = invitation.expires_at === null ? null : html`, until ${day(invitation.expires_at)}`
  const by = invitation.created_by_name ?? t`Somebody`
  const role = roleName(invitation.access_level)
  return invitation.project_id === null
    ? html`${isolated(by)} invites you to the group <b>${isolated(path)}</b>, as ${role}${until}.`
    : html`${isolated(by)} invites you to the project <b>${isolated(path)}</b>, as ${role}${until}.`
}

/** Explains how an invited person without an account gets one here. */
async function waysIn(app: App, here: string): Promise<Html> {
  const { signup_enabled, password_authentication_enabled_for_web } = await readSettings(app.db)
  const isOpen = signup_enabled && password_authentication_enabled_for_web
  return html`
    <p>Sign in to accept it.</p>
    <p><a class="button primary" href="${signInFrom(here)}">Sign in</a></p>
    ${isOpen && html`<p>${say.withoutAccount()} <a href="/users/sign_up">Create an account</a></p>`}
  `
}
