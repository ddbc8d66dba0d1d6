/** Agents, the programs that run jobs: what others may use of them. */
export { releaseRunners } from './queue.service.ts'
