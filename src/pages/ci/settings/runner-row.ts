/** Runners as rows, their details, and the commands that register them. */

import type { CiRunner } from '../../../db/tables.ts'
import { isOnline } from '../../../features/ci/runners/runners.ts'
import { type Html, html } from '../../../html/html.ts'
import { ago } from '../../../html/phrases.ts'
import { t, translated } from '../../../html/sentences.ts'
import { copyable, icon } from '../../frame/parts.ts'
import { settingSentences as say } from '../sentences.ts'

const kinds = translated({ instance: 'of the instance', group: 'of a group', project: 'of projects' } as const)

export function runnerRow(runner: CiRunner, actions: Html | null): Html {
  const { id, kind, description, active, locked, tags, version, contacted_at, run_untagged, access_level } = runner
  return html`
    <li>
      ${stateOf(runner)}
      <div class="what">
        <b>#${id} <bdi>${description ?? ''}</bdi></b>
        <p>
          ${kinds[kind]}${!active && t` · paused`}${locked && t` · locked`}${
            access_level === 'ref_protected' && t` · protected branches only`
          }${run_untagged && t` · takes jobs without tags`}${version !== null && html` · <bdi>${version}</bdi>`}${
            contacted_at !== null && html` · seen ${ago(contacted_at)}`
          }
        </p>
      </div>
      <div class="facts">
        ${(JSON.parse(tags) as string[]).map((tag) => html`<span class="tag"><bdi>${tag}</bdi></span>`)}${actions}
      </div>
    </li>
  `
}

function stateOf({ contacted_at }: CiRunner): Html {
  const online = contacted_at !== null && isOnline(contacted_at)
  const state = contacted_at === null ? t`never connected` : online ? t`online` : t`offline`
  return html`<span class="${online ? 'tag added' : 'tag'}">${icon(online ? 'check' : 'clock')} ${state}</span>`
}

/** Facts about the runner's machine, as it reported them. */
export function factsOf(runner: CiRunner): Html {
  const { version, platform, architecture, ip_address, contacted_at } = runner
  const said = [version, platform, architecture, ip_address].filter((one): one is string => one !== null)
  return html`
    <p class="facts">
      ${stateOf(runner)}${said.map((one) => html`<span><bdi>${one}</bdi></span>`)}${
        contacted_at !== null && html`<span>seen ${ago(contacted_at)}</span>`
      }
    </p>
  `
}

/** The commands that register a runner with a registration token. */
export function commandsOf(url: string, token: string): Html {
  return html`
    <h3>Registration token</h3>
    ${copyable(t`Registration token`, token)}
    <h3>Register a runner</h3>
    ${copyable(t`Command to register a runner`, `gitlab-runner register --url ${url} --registration-token ${token}`)}
    <p class="hint">${say.ownRunner}</p>
    ${copyable(t`Command to register our runner`, `gitstead runner register --url ${url} --token ${token}`)}
  `
}

/** The commands for a runner that was created on the page; its token is shown only now. */
export function commandsOfCreated(url: string, token: string): Html {
  return html`
    <h2>Token</h2>
    ${copyable(t`Token of the runner`, token)}
    <h2>Start it on a machine</h2>
    ${copyable(t`Command to register a runner`, `gitlab-runner register --url ${url} --token ${token}`)}
    <p class="hint">${say.ownRunner}</p>
    ${copyable(t`Command to register our runner`, `gitstead runner register --url ${url} --token ${token}`)}
  `
}
