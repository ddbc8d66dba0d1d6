/** Forks: what others may use of them. */
export { endFork, forkProject, relateFork, restartFork } from './forks.service.ts'
