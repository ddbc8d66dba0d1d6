/** The user's own second factor: an authenticator app, passkeys and recovery codes. */

import { Type } from 'typebox'
import { secondFactorDemand } from '../../../access/passwords/second-factor.ts'
import type { App } from '../../../app.ts'
import { now } from '../../../db/instants.ts'
import type { User } from '../../../db/tables.ts'
import { forbidden, notFound } from '../../../failure.ts'
import {
  addPasskey,
  removePasskey,
  renewRecoveryCodes,
  secondFactorOf,
  setUpTotp,
  turnOffSecondFactor,
} from '../../../features/people/second-factor/second-factor.ts'
import { skipSecondFactor } from '../../../features/people/sessions/sessions.ts'
import { t } from '../../../html/sentences.ts'
import { type SignedIn, signedIn } from '../../../http/declare/rules.ts'
import { nested, within } from '../../../http/declare/within.ts'
import { Id } from '../../../http/parameters/schema.ts'
import { action, type Outcome, page } from '../../frame/declaration.ts'
import { untouched } from '../../frame/forms.ts'
import { assertProved } from '../../frame/proof.ts'
import { recoveryCodesView, secondFactorView } from './second-factor-view.ts'
import { sentences } from './sentences.ts'
import type { OwnVisit } from './settings-view.ts'

const text = Type.String({ default: '' })
const address = '/profile/two_factor_auth'

const ownPasskey = nested({ passkey_id: Id }, async ({ user }: SignedIn, { passkey_id }, app) => {
  const passkey = (await secondFactorOf(app, user.id)).passkeys.find(({ id }) => id === passkey_id)
  if (!passkey) throw notFound('Passkey')
  return { passkey }
})

export const secondFactorPages = [
  page('GET /profile/two_factor_auth', {
    access: signedIn(),
    beforeSecondFactor: true,
    show: (visit) => secondFactorView(visit, untouched),
  }),
  action('POST /profile/two_factor_auth', {
    access: signedIn(),
    form: { offer: text, code: text, proof: text },
    beforeSecondFactor: true,
    async act({ sent, ...visit }) {
      assertOneself(visit)
      await assertProved(visit, sent.proof)
      return added(await setUpTotp(visit.app, visit.user, { ...sent, session: visit.session_digest }), sentences.appSetUp)
    },
    again: secondFactorView,
  }),
  action('POST /profile/two_factor_auth/passkeys', {
    access: signedIn(),
    form: { passkey_offer: text, passkey_name: text, credential: text, passkey_proof: text },
    beforeSecondFactor: true,
    async act({ sent: { passkey_offer: offer, passkey_name: name, credential, passkey_proof }, ...visit }) {
      assertOneself(visit)
      await assertProved(visit, passkey_proof, { name: 'passkey_proof' })
      return added(
        await addPasskey(visit.app, visit.user, { offer, name, credential, session: visit.session_digest }),
        sentences.passkeyAdded,
      )
    },
    again: secondFactorView,
  }),
  action('POST /profile/two_factor_auth/passkeys/:passkey_id/delete', {
    access: within(signedIn(), ownPasskey),
    form: { remove_proof: text },
    async act({ sent, passkey, ...visit }) {
      await assertProved(visit, sent.remove_proof, { always: true, name: 'remove_proof' })
      await removePasskey(visit.app, visit.user.id, passkey.id)
      return { redirect: address, notice: sentences.passkeyRemoved }
    },
    again: secondFactorView,
  }),
  action('POST /profile/two_factor_auth/codes', {
    access: signedIn(),
    form: { codes_proof: text },
    async act({ sent, ...visit }) {
      assertOneself(visit)
      await assertProved(visit, sent.codes_proof, { always: true, name: 'codes_proof' })
      return recoveryCodesView(await renewRecoveryCodes(visit.app, visit.user.id))
    },
    again: secondFactorView,
  }),
  action('POST /profile/two_factor_auth/disable', {
    access: signedIn(),
    form: { off_proof: text },
    async act({ sent, ...visit }) {
      await assertProved(visit, sent.off_proof, { always: true, name: 'off_proof' })
      await turnOffSecondFactor(visit.app, visit.user.id)
      return { redirect: address, notice: sentences.secondFactorOff }
    },
    again: secondFactorView,
  }),
  action('POST /profile/two_factor_auth/skip', {
    access: signedIn(),
    beforeSecondFactor: true,
    async act({ app, user, session_digest }) {
      if (session_digest !== null && (await mayPutOff(app, user))) await skipSecondFactor(app.db, session_digest)
      return { redirect: '/' }
    },
  }),
]

/** Whether the time to set up a second factor is not over yet. */
async function mayPutOff({ db }: App, user: User): Promise<boolean> {
  const demand = await secondFactorDemand(db, user)
  return demand !== null && demand.due > now()
}

/** An administrator who impersonates a user must not see their codes. */
function assertOneself({ impersonator }: OwnVisit): void {
  if (impersonator !== null) throw forbidden(t`Only the user can set up their second factor.`)
}

function added(codes: string[] | null, notice: string): Outcome {
  return codes === null ? { redirect: address, notice } : recoveryCodesView(codes)
}
