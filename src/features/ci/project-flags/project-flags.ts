/** Feature flags of projects: what others may use of them. */
export { instanceIdOf, resetInstanceId } from './clients.service.ts'
export { listFlags, type WholeFlag, withStrategies } from './flags.queries.ts'
export { changeFlag, createFlag, removeFlag } from './flags.service.ts'
export { clientsReset, flagManaged, flagsManaged, flagsSeen } from './project-flags.access.ts'
