// The CSRF token of the newest sign-in: a page that was made before it would send a stale one.
function cookie(name) {
  const found = document.cookie.split("; ").find((part) => part.startsWith(`${name}=`));
  return found ? decodeURIComponent(found.slice(name.length + 1)) : "";
}

// The token of the newest sign-in (another tab may have renewed it), else the one this page was made with.
export function csrfToken() {
  if (cookie("csrftoken")) return cookie("csrftoken");
  try {
    return JSON.parse(document.body.getAttribute("hx-headers"))["X-CSRFToken"];
  } catch {
    return "";
  }
}
