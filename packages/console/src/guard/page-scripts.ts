/**
 * Loads the page again after 3 seconds. A refresh by the server would not: to a browser an address with a `#` is another place in
 * the same page.
 */
export const reloadSoon = 'setTimeout(()=>location.reload(),3e3)'

/**
 * Adds the last slash of the address, without which the relative URLs of the page are wrong. Only the browser can: a redirect
 * would need the last part of the path. The server does not know it if a proxy removes or replaces the path. `URL` keeps the host,
 * also for a path such as `//example.com`. The files of the page are in a template, so that none is loaded from a wrong place. If
 * one cannot be loaded, the page loads again, because the program may be unable to check the right to it.
 */
export const addSlash =
  `{addEventListener('error',({target})=>target===window||${reloadSoon},true);` +
  "const at=new URL(location);if(at.pathname.endsWith('/'))document.write(document.querySelector('template').innerHTML);" +
  "else{at.pathname+='/';location.replace(at)}}"
