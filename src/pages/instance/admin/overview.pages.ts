/** Counts, health and versions of the instance. */

import { cpus, freemem, loadavg, totalmem, uptime } from 'node:os'
import { examineRunning, type Finding } from '../../../admin/doctor.ts'
import type { App } from '../../../app.ts'
import { queueFigures } from '../../../features/instance/sidekiq/sidekiq.ts'
import { countEverything } from '../../../features/instance/statistics/statistics.ts'
import { removeFailures, storageFailures } from '../../../features/instance/storage-health/storage-health.ts'
import { type Html, html } from '../../../html/html.ts'
import { count, size } from '../../../html/phrases.ts'
import { t } from '../../../html/sentences.ts'
import { programVersion } from '../../../version.ts'
import { action, page } from '../../frame/declaration.ts'
import { postButton } from '../../frame/forms.ts'
import { administration, adminView } from './admin-view.ts'
import { sentences } from './sentences.ts'

export const overviewPages = [
  page('GET /admin', {
    access: administration(),
    async show({ app }) {
      const [counts, failures, queue] = [await countEverything(app.db), await storageFailures(app.db), await queueFigures(app.db)]
      const { dead, waiting } = queue.counts
      return adminView('overview', {
        title: t`Overview`,
        main: html`
          <h1>Administration</h1>
          <ul class="figures">
            <li>
              <a href="/admin/users">${count(counts.users, 'user')}</a>
              <p>${count(counts.active_users, 'active user')}</p>
            </li>
            <li><a href="/admin/groups">${count(counts.groups, 'group')}</a></li>
            <li>
              <a href="/admin/projects">${count(counts.projects, 'project')}</a>
              <p>${count(counts.forks, 'fork')}</p>
            </li>
            <li>
              <a href="/admin/jobs">${count(waiting, 'job')} waiting</a>
              <p>${count(dead, 'dead job')}</p>
            </li>
          </ul>
          <h2>Health</h2>
          <ul class="rows">
            ${dead > 0 && html`<li>${mark('warn')} <a href="/admin/jobs">${count(dead, 'dead job')}</a></li>`}
            <li>
              ${failures.length > 0 ? mark('fail') : mark('ok')}
              ${failures.length > 0 ? sentences.storageFailing : sentences.storageHealthy}
            </li>
          </ul>
          <p><a href="/admin/health">All checks</a></p>
          <h2>Versions</h2>
          ${versionsOf(app)}
        `,
      })
    },
  }),
  page('GET /admin/health', {
    access: administration(),
    async show({ app, token }) {
      const [findings, failures, queue] = [await examineRunning(app), await storageFailures(app.db), await queueFigures(app.db)]
      const forget = failures.length > 0 && postButton(t`Forget the failures`, { action: '/admin/health/reset_storage_health', token })
      return adminView('health', {
        title: t`Health`,
        main: html`
          <h1>Health</h1>
          <p>${sentences.healthAre}</p>
          <ul class="rows">${findings.map(findingRow)}</ul>
          <h2>Repository storage</h2>
          ${
            failures.length === 0
              ? html`<p>${mark('ok')} ${sentences.storageHealthy}</p>`
              : html`<p>${mark('fail')} ${sentences.storageFailing}</p>`
          }
          <ul>
            ${failures.map(({ hostname, failures: number }) => html`<li>${hostname}: ${count(number, 'failure')}</li>`)}
          </ul>
          ${forget}
          <h2>Queue</h2>
          ${workersOf(queue)}
        `,
      })
    },
  }),
  action('POST /admin/health/reset_storage_health', {
    access: administration(),
    async act({ app }) {
      await removeFailures(app.db)
      return { redirect: '/admin/health', notice: sentences.failuresForgotten }
    },
  }),
  page('GET /admin/system_info', { access: administration(), show: ({ app }) => systemView(app) }),
]

function mark(level: Finding['level']): Html {
  const words = { ok: 'OK', warn: t`Warning`, fail: t`Failed` }
  return html`<span class="tag ${level}">${words[level]}</span>`
}

function findingRow({ level, check, text, advice }: Finding): Html {
  return html`<li><div class="what">${mark(level)} <b>${check}</b> ${text}${advice !== null && html`<p>${advice}</p>`}</div></li>`
}

function workersOf({ workers, totals, counts }: Awaited<ReturnType<typeof queueFigures>>): Html {
  return html`
    <p>
      ${count(totals.processed, 'attempt')} so far, ${count(totals.failed, 'failure')}; ${counts.running} running,
      ${counts.waiting} waiting, ${counts.dead} dead.
    </p>
    <ul>
      ${workers.map(({ hostname, pid, busy }) => html`<li>Process ${pid} on ${hostname}: ${count(busy, 'job')} under way</li>`)}
    </ul>
  `
}

function versionsOf({ config }: Pick<App, 'config'>): Html {
  return facts([
    [t`Gitstead`, programVersion],
    ['API', config.api_version],
    ['Node.js', process.versions.node],
  ])
}

function facts(rows: ReadonlyArray<readonly [string, string]>): Html {
  return html`<dl class="facts">${rows.map(([label, value]) => html`<dt>${label}</dt><dd>${value}</dd>`)}</dl>`
}

async function systemView({ config, db, git }: App) {
  const findings = await examineRunning({ config, db, git })
  const textOf = (check: string) =>
    findings
      .filter((finding) => finding.check === check)
      .map(({ text }) => text)
      .join('; ')
  const [one = 0, five = 0, fifteen = 0] = loadavg()
  const hours = Math.floor(uptime() / 3600)
  return adminView('system', {
    title: t`System`,
    main: html`
      <h1>System</h1>
      ${facts([
        [t`Processors`, `${cpus().length}`],
        [t`Load`, t`${one.toFixed(2)}, ${five.toFixed(2)}, ${fifteen.toFixed(2)} (1, 5, 15 minutes)`],
        [t`Memory`, t`${size(totalmem() - freemem())} used of ${size(totalmem())}`],
        [t`This process`, size(process.memoryUsage().rss)],
        [t`Disk`, textOf('space')],
        [t`Up for`, hours < 48 ? count(hours, 'hour') : count(Math.floor(hours / 24), 'day')],
        [t`Database`, textOf('database')],
        [t`Git`, textOf('git')],
        [t`Data folder`, config.home],
      ])}
      <h2>Versions</h2>
      ${versionsOf({ config })}
    `,
  })
}
