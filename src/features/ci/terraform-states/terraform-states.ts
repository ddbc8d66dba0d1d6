/** States of OpenTofu and Terraform: what others may use of them. */
export { statesSeen, stateWritten } from './terraform-states.access.ts'
export { listStates, type ShownState } from './terraform-states.queries.ts'
export { removeState, unlockState } from './terraform-states.service.ts'
