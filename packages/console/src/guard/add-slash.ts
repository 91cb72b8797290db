/**
 * Adds the last slash of the address, without which the relative URLs of the page are wrong. Only the browser can: a redirect
 * would need the last part of the path. The server does not know it if a proxy removes or replaces the path. `URL` keeps the host,
 * also for a path such as `//example.com`. The files of the page are in a template, so that none is loaded from a wrong place.
 */
export const addSlash =
  "{const at=new URL(location);if(at.pathname.endsWith('/'))document.write(document.querySelector('template').innerHTML);" +
  "else{at.pathname+='/';location.replace(at)}}"
