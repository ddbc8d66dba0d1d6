/** Requests that wait for news (long polling): how long they wait, and that they end with their client or with the server. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { App } from '../../app.ts'
import { clientGone } from '../../git/process/run.ts'
import type { Patience } from '../declare/context.ts'

export interface Waits {
  begin: (reply: FastifyReply, longest_ms: number) => Patience
}

/** A stopping server answers all waiting requests, since they would delay the stop. */
export function openWaits(server: FastifyInstance, { limits }: Pick<App, 'limits'>): Waits {
  const waiting = new Set<AbortController>()
  let isStopping = false
  server.addHook('preClose', (done) => {
    isStopping = true
    for (const controller of waiting) controller.abort()
    done()
  })
  return {
    begin({ raw }, longest_ms) {
      const controller = new AbortController()
      waiting.add(controller)
      raw.once('close', () => {
        waiting.delete(controller)
        if (!raw.writableFinished) controller.abort(clientGone())
      })
      if (raw.closed || isStopping) controller.abort()
      // Less than the time after which an inactive connection is closed, here or by a proxy.
      return { until: Date.now() + Math.min(longest_ms, limits.silence_ms.download * 0.8), signal: controller.signal }
    },
  }
}
