/** Runners: what other features may use. */
export { noteContact, RunnerInfo, systemId } from './contacts.service.ts'
export { createRunner } from './registration.service.ts'
export { isOnline } from './runners.present.ts'
export { enableableRunners, listRunners, managersOf, projectIdsOf, runnerAt } from './runners.queries.ts'
export { changeRunner, disableRunner, enableRunner, removeRunner } from './runners.service.ts'
export { registrationToken, resetRegistrationToken } from './tokens.service.ts'
