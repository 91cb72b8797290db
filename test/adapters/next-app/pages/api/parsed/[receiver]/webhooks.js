import { nextPagesHandler } from 'webhook-inbox/next'
import { mounted } from '../../../../mounted.js'

// The mistake: without a config Next parses the body first.
export default (request, response) => nextPagesHandler(mounted(request.query.receiver))(request, response)
