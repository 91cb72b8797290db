/**
 * The operator's page over the durable inbox of webhook-inbox.
 *
 * @module
 */
export { type ConsoleHandler, consoleHandler } from './console-handler.js'
export type { ConsoleOptions, MountedOptions } from './options.js'
export type { Mask } from './views/mask.js'
export type { ConsoleAction } from './wire.js'
