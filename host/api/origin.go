package api

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dragoman-project/dragoman/host/config"
	"github.com/dragoman-project/dragoman/sdk/fault"
)

// notForeign returns an error for a request that was not meant for this machine, if the daemon listens on loopback. No browser
// reaches a socket.
func notForeign(r *http.Request, to route, listen config.Listen) error {
	if network, _ := listen.Network(); network != "tcp" || !listen.Local() {
		return nil
	}
	var origins []string
	if to.endpoint != nil {
		origins = listen.Origins
	}
	return fromHere(r, listen.Hosts, origins)
}

// fromHere returns an error for a request on loopback that was not meant for this machine. A browser on it sends those of any web
// page, too: the page's own name can be made to resolve to 127.0.0.1, so that the page may read the answers. It cannot change the
// headers Host and Origin, which name the page's host then. allowed are further names, and origins pages that may send it.
func fromHere(r *http.Request, allowed, origins []string) error {
	if !isHere(r.Host, allowed) {
		return foreign("Host", r.Host)
	}
	for _, origin := range r.Header.Values("Origin") {
		if fromOrigin(origin, origins) {
			continue
		}
		if u, err := url.Parse(origin); err != nil || u.Host == "" || !isHere(u.Host, allowed) {
			return foreign("Origin", origin)
		}
	}
	return nil
}

func foreign(header, name string) error {
	return &fault.Error{Code: fault.PermissionDenied, Place: header,
		Message: fmt.Sprintf("on loopback, expected localhost or a loopback address, found %q", cut(name, maxPlace)),
		Remedy:  "use such a name, or add this one to listen.hosts"}
}

// isHere reports whether a host, with or without a port, is a loopback address, one of the allowed names, or a name without a dot,
// such as localhost: only the machine and its network give such names a meaning. No browser leaves the host out.
func isHere(host string, allowed []string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.ToLower(strings.TrimSuffix(strings.Trim(host, "[]"), "."))
	if ip := net.ParseIP(host); ip != nil && ip.IsLoopback() {
		return true
	}
	return !strings.ContainsAny(host, ".:") || strings.HasSuffix(host, ".localhost") || slices.ContainsFunc(allowed, func(name string) bool { return strings.EqualFold(name, host) })
}
