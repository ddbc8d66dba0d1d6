/** Ports for programs that must be told theirs. Whatever can choose its own listens on port 0 instead. */
import { createServer } from 'node:net'

/** Below those that the system gives to connections and to whoever listens on port 0: between our look and the program's none of them takes it. */
const first = 10_000
const blocks = 2_000
/** Each process of the machine begins in a block of its own. */
const ports = 10

let given = 0

/** A port that nobody listens on, and that this process gives to nobody else for a while. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < blocks * ports; tries += 1) {
    const port = first + (((process.pid % blocks) * ports + given++) % (blocks * ports))
    if (await isFree(port)) return port
  }
  throw new Error('No port is free')
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
