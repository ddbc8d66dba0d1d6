/** Whether the user who started a pipeline wants mail about its result. */
import { allSwitches, type Setting } from '../../spaces/notification-settings/notification-settings.ts'

/** `fixed`: it succeeded after the previous one on its branch or tag had failed. */
export type PipelineEnding = 'failed' | 'fixed' | 'success'

/** A success after a success is only sent to users who chose so. */
export function isPipelineWanted(setting: Setting, ending: PipelineEnding): boolean {
  switch (setting.level) {
    case 'disabled':
    case 'global':
    case 'mention':
      return false
    case 'participating':
    case 'watch':
      return ending !== 'success'
    case 'custom': {
      const { failed_pipeline, success_pipeline } = allSwitches(setting)
      return (failed_pipeline && ending !== 'success') || (success_pipeline && ending !== 'failed')
    }
  }
}
