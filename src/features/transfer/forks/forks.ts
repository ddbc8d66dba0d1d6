/** Forks: what other features may use. */
export { endFork, forkProject, relateFork, restartFork } from './forks.service.ts'
