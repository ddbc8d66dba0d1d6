/** The page of the second factor: what is set up, and the forms to change it. */

import { encode } from 'uqr'
import { secondFactorDemand } from '../../../access/passwords/second-factor.ts'
import { now } from '../../../db/instants.ts'
import {
  offerPasskey,
  offerTotp,
  type SecondFactorFacts,
  secondFactorOf,
  takesPasskeys,
  totpUri,
} from '../../../features/people/second-factor/second-factor.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago, count } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import type { Typed, View } from '../../frame/declaration.ts'
import { dangerous, field, form, hidden, postButton, problemsOf } from '../../frame/forms.ts'
import { isolated } from '../../frame/parts.ts'
import { proofField } from '../../frame/proof.ts'
import { sentences } from './sentences.ts'
import { type OwnVisit, settingsView } from './settings-view.ts'

const address = '/profile/two_factor_auth'
const fields = ['code', 'proof', 'passkey_name', 'passkey_proof', 'remove_proof', 'codes_proof', 'off_proof']

export async function secondFactorView(visit: OwnVisit, typed: Typed): Promise<View> {
  const { app, user } = visit
  const facts = await secondFactorOf(app, user.id)
  const isOn = user.two_factor_enabled
  const setUp = setUpForm(visit, typed)
  return settingsView('second_factor', {
    title: t`Second factor`,
    scripts: ['passkeys.js'],
    main: html`
      <h1>Second factor</h1>
      ${problemsOf(typed.errors, fields)}${await demandOf(visit)}
      <p>${isOn ? sentences.secondFactorIsOn : sentences.secondFactorIs}</p>
      <h2>Authenticator app</h2>
      ${
        facts.totp_since === null
          ? setUp
          : html`
              <p>Set up ${ago(facts.totp_since)}.</p>
              ${dangerous(t`Use another app`, html`<p>${sentences.otherApp}</p>${setUp}`, 'code' in typed.values)}
            `
      }
      <h2>Passkeys</h2>
      ${await passkeysPart(visit, facts, typed)}${isOn && endPart(visit, facts, typed)}
    `,
  })
}

/** A notice for users who must set up a second factor: the groups that require it, and the deadline. */
async function demandOf({ app, user, token }: OwnVisit): Promise<Html | null> {
  const demand = user.two_factor_enabled ? null : await secondFactorDemand(app.db, user)
  if (demand === null) return null
  const { due, groups, byInstance } = demand
  const later = html`
    <p>You can put it off until <time datetime="${due}">${due.slice(0, 16).replace('T', ' ')} UTC</time>.</p>
    ${postButton(t`Later`, { action: `${address}/skip`, token })}
  `
  return html`
    <div class="problems" role="status">
      <p>${byInstance ? sentences.secondFactorRequired : sentences.groupsRequireSecondFactor(groups)}</p>
      ${due > now() && later}
    </div>
  `
}

function setUpForm({ app, token, ...visit }: OwnVisit, typed: Typed): Html {
  const { secret, sealed } = offerTotp(app, visit.user, typed.values.offer)
  const uri = totpUri(secret, { issuer: app.config.hostname, account: visit.user.username })
  return html`
    <p>${sentences.scan}</p>
    ${qrCode(uri)}
    <p>Or type this key: <code>${secret.replace(/(.{4})(?!$)/g, '$1 ')}</code></p>
    ${form(
      { action: address, token, submit: t`Set up the app` },
      html`
        ${hidden({ offer: sealed })}
        ${field(
          t`Code`,
          'code',
          { ...typed, values: {} },
          {
            required: true,
            autocomplete: 'one-time-code',
            hint: t`The six digits that the app shows now.`,
          },
        )}
        ${proofField(visit, typed)}
      `,
    )}
  `
}

/** Black on white in both themes, as cameras require. */
function qrCode(text: string): Html {
  const { size, data } = encode(text, { border: 2, ecc: 'M' })
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return html`
    <svg class="qr" role="img" aria-label="The key as a QR code" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">
      <rect width="${size}" height="${size}" fill="#fff"></rect>
      <path d="${dark.join('')}" fill="#000"></path>
    </svg>
  `
}

async function passkeysPart({ app, token, ...visit }: OwnVisit, { passkeys }: SecondFactorFacts, typed: Typed): Promise<Html> {
  const rows = passkeys.map(
    ({ id, name, created_at, last_used_at }) => html`
      <li>
        <div class="what"><b>${isolated(name)}</b></div>
        <div class="facts">
          <span>added ${ago(created_at)}</span>
          <span>${last_used_at === null ? t`never used` : html`used ${ago(last_used_at)}`}</span>
          ${dangerous(
            t`Remove`,
            form(
              { action: `${address}/passkeys/${id}/delete`, token, submit: t`Remove passkey`, kind: 'danger' },
              html`${proofField(visit, typed, { always: true, name: 'remove_proof', id: `passkey-${id}-` })}`,
            ),
          )}
        </div>
      </li>
    `,
  )
  const list = rows.length > 0 && html`<ul class="rows">${rows}</ul>`
  if (!takesPasskeys(app.config)) return html`${list}<p>${sentences.noPasskeysHere}</p>`
  const { options, sealed } = await offerPasskey(app, visit.user)
  return html`
    <p>${sentences.passkeysAre}</p>
    ${list}
    <pass-key data-create="${JSON.stringify(options)}">
      <p>${sentences.passkeysNeedScript}</p>
      <form method="post" action="${address}/passkeys">
        ${token}${hidden({ passkey_offer: sealed, credential: '' })}
        ${field(t`Name`, 'passkey_name', typed, { required: true, hint: t`Such as the device it is on.` })}
        ${proofField(visit, typed, { name: 'passkey_proof' })}
        <p class="error" role="alert" hidden>No passkey was made. Try again.</p>
        <p class="actions"><button>Add passkey</button></p>
      </form>
    </pass-key>
  `
}

function endPart({ token, ...visit }: OwnVisit, { recovery_codes }: SecondFactorFacts, typed: Typed): Html {
  const codes = html`
    <p>${sentences.codesRenewal}</p>
    ${form(
      { action: `${address}/codes`, token, submit: t`Create new codes`, kind: 'plain' },
      html`${proofField(visit, typed, { always: true, name: 'codes_proof' })}`,
    )}
  `
  const off = html`
    <p>${sentences.turningOff}</p>
    ${form(
      { action: `${address}/disable`, token, submit: t`Turn off`, kind: 'danger' },
      html`${proofField(visit, typed, { always: true, name: 'off_proof' })}`,
    )}
  `
  return html`
    <h2>Recovery codes</h2>
    <p>${sentences.recoveryCodesAre} You have ${count(recovery_codes, 'code')} left.</p>
    ${dangerous(t`New recovery codes`, codes, 'codes_proof' in typed.values)}
    <h2>Turn off</h2>
    ${dangerous(t`Turn off the second factor`, off, 'off_proof' in typed.values)}
  `
}

/** The recovery codes, which are shown once. */
export function recoveryCodesView(codes: readonly string[]): View {
  return settingsView('second_factor', {
    title: t`Recovery codes`,
    status: 201,
    main: html`
      <h1>Recovery codes</h1>
      <p>${sentences.codesOnce}</p>
      <ul class="recovery-codes">${codes.map((code) => html`<li><code>${code}</code></li>`)}</ul>
      <p><a class="button primary" href="${address}">I have kept them</a></p>
    `,
  })
}
