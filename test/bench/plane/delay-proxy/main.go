// Command delay-proxy stands before an API server and lets each call wait before it passes it on: a network that is
// slower than this machine's. It speaks HTTP/2 and HTTP/1.1, whichever the client asks for, as the API server does.
package main

import (
	"crypto/tls"
	"crypto/x509"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"time"
)

func main() {
	target := flag.String("target", "", "URL of the API server")
	caFile := flag.String("ca", "", "certificates that the API server is known by")
	certFile := flag.String("cert", "", "certificate of this proxy")
	keyFile := flag.String("key", "", "its key")
	delay := flag.Duration("delay", 0, "how long each call waits")
	flag.Parse()

	// Whoever started this keeps our standard input open as long as it lives.
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()

	proxy, err := newProxy(*target, *caFile)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("https://%s\n", listener.Addr())
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			// Of a watch only the opening waits: its events come unasked, and delaying them in turn would make a queue.
			time.Sleep(*delay)
			proxy.ServeHTTP(w, r)
		}),
		// As many streams of one connection as the API server allows.
		HTTP2: &http.HTTP2Config{MaxConcurrentStreams: 1000},
	}
	log.Fatal(server.ServeTLS(listener, *certFile, *keyFile))
}

func newProxy(target, caFile string) (*httputil.ReverseProxy, error) {
	url, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	pem, err := os.ReadFile(caFile)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate", caFile)
	}
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(url)
			r.Out.Host = url.Host
		},
		FlushInterval: -1,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) {
			// A client that closes its watch is no news.
			if r.Context().Err() == nil {
				log.Printf("%s %s: %v", r.Method, r.URL.Path, err)
			}
			w.WriteHeader(http.StatusBadGateway)
		},
		// Towards the API server HTTP/1.1 for everybody: it costs this process less, and a connection per call under way
		// is what our own transport has without a proxy.
		Transport: &http.Transport{
			TLSClientConfig:     &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
			MaxIdleConns:        0,
			MaxIdleConnsPerHost: 1024,
			IdleConnTimeout:     80 * time.Second,
			DisableCompression:  true,
		},
	}, nil
}
