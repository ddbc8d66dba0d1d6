/** Status checks of merge requests: what other features may use. */
export { checksOfProject, replaceBranches, type StatusCheck, saveAnswer } from './status-checks.queries.ts'
export { type CheckedStatus, checksOn, havePassed, statusesOf } from './status-checks.service.ts'
