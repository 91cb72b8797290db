/** The checker of signatures alone, as a file of its own: what else the package exports stays out of the page. */
export { diagnose } from 'webhook-inbox-diagnose'
